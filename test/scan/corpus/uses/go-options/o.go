package main

func f() {
	params := url.Values{}
	params.Add("status", "paused")
	resp, err := http.Get(fmt.Sprintf("https://code.example.com/api/v4/runners?%s", params.Encode()))
	_, _ = resp, err
}
