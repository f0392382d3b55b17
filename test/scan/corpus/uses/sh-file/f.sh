curl -sS -o /tmp/p.json -H "PRIVATE-TOKEN: $T" "$CI_API_V4_URL/projects/7/packages"
jq -r '.[0].pipelines[0].id' /tmp/p.json
