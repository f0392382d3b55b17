package main
func f(c *resty.Client) {
	c.R().SetHeader("PRIVATE-TOKEN", t).SetBody(map[string]string{"name": "MIT", "approval_status": "approved"}).Post("https://gitlab.example.com/api/v4/projects/1/managed_licenses")
}
