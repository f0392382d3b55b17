let mut map = HashMap::new();
map.insert("name", "MIT");
map.insert("approval_status", "blacklisted");
let res = client.post("https://gitlab.example.com/api/v4/projects/1/managed_licenses").json(&map).send().await?;
