package main

func list(token string) {
	base := "https://code.example.com/api/v4"
	q := url.Values{"status": {"not_connected"}}
	req, _ := http.NewRequest("GET", base+"/runners/all?"+q.Encode(), nil)
	req.Header.Set("PRIVATE-TOKEN", token)
}
