package main

func (c *Client) Paused() ([]Runner, error) {
	u := c.base + "/api/v4/runners/all"
	u += "?status=paused"
	return c.get(u)
}
