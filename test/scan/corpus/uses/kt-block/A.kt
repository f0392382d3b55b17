val res = client.post("https://gitlab.example.com/api/v4/projects/1/managed_licenses") {
    header("PRIVATE-TOKEN", token)
    contentType(ContentType.Application.Json)
    setBody(mapOf("name" to "MIT", "approval_status" to "approved"))
}
val paused = client.get("https://gitlab.example.com/api/v4/runners") { url { parameters.append("status", "paused") } }
val active = client.get("https://gitlab.example.com/api/v4/runners") { parameter("status", "active") }
