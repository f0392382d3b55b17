package main

import ("net/http"; "net/url")

func main() {
	u, _ := url.Parse("https://code.example.com/api/v4/runners")
	q := u.Query()
	q.Add("per_page", "100")
	q.Set("status", "paused")
	u.RawQuery = q.Encode()
	http.Get(u.String())
}
