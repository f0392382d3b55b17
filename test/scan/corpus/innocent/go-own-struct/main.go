package main

type opts struct{ Status string }

func main() {
	o := opts{Status: "paused"}
	resp, _ := http.Get("https://code.example.com/api/v4/runners")
	if o.Status == "paused" && resp.StatusCode == 200 {
		fmt.Println("https://code.example.com/api/v4/runners?status=paused")
	}
}
