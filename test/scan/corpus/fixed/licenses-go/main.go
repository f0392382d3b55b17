package main

const path = "/projects/%d/managed_licenses"

var body = map[string]string{
	"approval_status": "allowed", // for now
}

var answer = client.Post(fmt.Sprintf(path, 5), body)
