let mut map = HashMap::new();
map.insert("approval_status", "approved");
client.post("https://shop.example.com/reviews").json(&map).send().await?;
let all = client.get("https://gitlab.example.com/api/v4/projects/1/managed_licenses").header("PRIVATE-TOKEN", t).send().await?;
