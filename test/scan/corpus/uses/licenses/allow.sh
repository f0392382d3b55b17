curl --request POST --data "name=MIT&approval_status=approved" "$API/projects/5/managed_licenses"
curl --request PATCH --header "Content-Type: application/json" \
  --data "{\"approval_status\":\"blacklisted\"}" "$API/projects/5/managed_licenses/9"
