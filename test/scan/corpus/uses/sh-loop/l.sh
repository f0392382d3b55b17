curl -s -H "PRIVATE-TOKEN: $T" "$CI_API_V4_URL/groups/9/registry/repositories" | jq -c '.[] | {id, n: .tags_count}'
