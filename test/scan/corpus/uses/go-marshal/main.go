package main

func f() {
	payload := map[string]string{
		"name": "MIT",
		"approval_status": "approved",
	}
	data, _ := json.Marshal(payload)
	http.Post(base+"/api/v4/projects/1/managed_licenses", "application/json", bytes.NewBuffer(data))
}
