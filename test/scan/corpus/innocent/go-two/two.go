package main

func main() {
	resp, err := http.Get("https://code.example.com/api/v4/runners")
	if err != nil {
		log.Fatalf("GET %s: %v", "https://code.example.com/api/v4/runners?status=paused", err)
	}
	defer resp.Body.Close()
	peers := network.Peers()
	for _, p := range peers {
		if p.Status == "not_connected" {
			continue
		}
	}
}
