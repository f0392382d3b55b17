package main

func main() {
	exec.Command("gitlab-ctl", "promote-db").Run()
}
