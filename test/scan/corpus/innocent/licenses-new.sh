curl --data "name=MIT&approval_status=allowed" "$API/projects/5/managed_licenses"
curl "$API/projects/5/managed_licenses" | jq '.[] | select(.approval_status == "denied")'
