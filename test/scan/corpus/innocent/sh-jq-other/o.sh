curl -s "https://api.example.com/v1/plans" | jq '.[] | select(.status == "paused")'
curl -s -H "PRIVATE-TOKEN: $T" "$CI_API_V4_URL/projects/1/pipelines?status=success" | jq '.[].status == "active"'
curl -s -H "PRIVATE-TOKEN: $T" "$CI_API_V4_URL/groups/1/registry/repositories" | jq '.[].name'
aws ec2 describe-instances | jq '.Reservations[].Instances[].tags'
