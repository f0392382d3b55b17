package main

func f() {
	resp, _ := http.Get("https://code.example.com/api/v4/runners")
	var runners []Runner
	json.NewDecoder(resp.Body).Decode(&runners)
	for _, r := range runners {
		if r.Status == "paused" {
			fmt.Println(r.ID)
		}
	}
}
