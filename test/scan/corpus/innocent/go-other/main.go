package main

func main() {
	q := url.Values{}
	q.Set("status", "paused")
	billing, _ := http.Get("https://billing.example.com/plans?" + q.Encode())
	resp, _ := http.Get("https://code.example.com/api/v4/runners")
	if peer.Status == "not_connected" {
		return
	}
	_, _ = billing, resp
}
