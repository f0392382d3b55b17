read -r -d '' BODY <<JSON
{"name": "GPL"}
JSON
curl -X PATCH "$CI_API_V4_URL/projects/1/managed_licenses/2" -H "PRIVATE-TOKEN: $T" -d approval_status=blacklisted
for id in $(curl -s -H "PRIVATE-TOKEN: $T" \
    --url "https://code.example.com/api/v4/runners/all" \
    --get --data status=paused | jq '.[].id'); do echo "$id"; done
