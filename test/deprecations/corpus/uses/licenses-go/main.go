package main

const path = "/projects/%d/managed_licenses"

var body = map[string]string{
	"approval_status": "approved", // for now
}
