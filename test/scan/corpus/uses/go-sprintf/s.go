package main

func f() {
	url := fmt.Sprintf("%s/api/v4/runners?status=%s", base, "paused")
	resp, err := http.Get(url)
	_, _ = resp, err
}
