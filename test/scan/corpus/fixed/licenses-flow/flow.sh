curl "$API/projects/5/managed_licenses" \
  | jq '.[] | select(.approval_status == "allowed")'
