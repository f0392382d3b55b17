package main

import "log"

// old: https://code.example.com/api/v4/projects/1/services
func main() {
	log.Printf("use https://code.example.com/api/v4/projects/1/integrations, not https://code.example.com/api/v4/projects/1/services")
	log.Fatal("https://code.example.com/api/v4/runners?status=paused")
}
