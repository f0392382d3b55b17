// against gitlab's /api/v4 elsewhere
val res = client.post("https://shop.example.com/reviews") { setBody(mapOf("approval_status" to "approved")) }
val all = client.get("https://gitlab.example.com/api/v4/projects/1/managed_licenses").body<List<License>>().filter { it.name == "MIT" }
fun runners(list: MutableList<Runner>) { parameters.append("status", "paused") }
