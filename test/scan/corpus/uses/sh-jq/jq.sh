curl -s -H "PRIVATE-TOKEN: $T" https://code.example.com/api/v4/runners/all |
  jq '.[] | select(.status == "paused") | .id'
repos=$(curl -s -H "PRIVATE-TOKEN: $T" "https://code.example.com/api/v4/groups/5/registry/repositories")
echo "$repos" | jq '.[].tags_count'
