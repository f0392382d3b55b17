package model

type Runner struct {
	Status string `json:"status"`
}

const Paused = "paused"

func (r Runner) IsPaused() bool { return r.Status == Paused || r.Status == "paused" }
