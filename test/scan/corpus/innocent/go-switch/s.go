package main

func f(p Peer) string {
	runners, _ := client.Get("https://code.example.com/api/v4/runners")
	_ = runners
	switch p.Status {
	case "paused", "not_connected":
		return "x"
	}
	return "active"
}
