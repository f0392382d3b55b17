package main

func f() {
	body := strings.NewReader(`{"name": "GPL", "approval_status": "blacklisted"}`)
	http.Post("https://code.example.com/api/v4/projects/5/managed_licenses", "application/json", body)
}
