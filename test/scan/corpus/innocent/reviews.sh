curl "$API/projects/5/managed_licenses" | jq .
curl "https://reviews.example.com/api?approval_status=approved"
curl "$API/projects/5/merge_requests?approval_status=approved"
curl -d "approval_status=blacklisted" https://reviews.example.com/api; curl "$API/projects/5/managed_licenses/1"
