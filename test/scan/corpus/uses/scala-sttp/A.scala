val request = basicRequest
  .header("PRIVATE-TOKEN", token)
  .body(Map("name" -> "MIT", "approval_status" -> "approved"))
  .post(uri"https://gitlab.example.com/api/v4/projects/1/managed_licenses")
