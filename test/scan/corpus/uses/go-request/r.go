package main

func f() {
	req, _ := http.NewRequest(http.MethodGet, "https://code.example.com/api/v4/runners/all", nil)
	q := req.URL.Query()
	q.Add("status", "not_connected")
	req.URL.RawQuery = q.Encode()
	http.DefaultClient.Do(req)
}
