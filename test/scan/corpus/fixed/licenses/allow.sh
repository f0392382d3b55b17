curl --request POST --data "name=MIT&approval_status=allowed" "$API/projects/5/managed_licenses"
curl --request PATCH --header "Content-Type: application/json" \
  --data "{\"approval_status\":\"denied\"}" "$API/projects/5/managed_licenses/9"
