package main

func f(c *resty.Client) {
	c.R().SetBody(map[string]string{"approval_status": "approved"}).Post("https://shop.example.com/reviews")
	c.R().SetHeader("PRIVATE-TOKEN", t).SetBody(map[string]string{"name": "MIT"}).Post("https://gitlab.example.com/api/v4/projects/1/managed_licenses")
}
