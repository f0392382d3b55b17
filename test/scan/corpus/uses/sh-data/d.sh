#!/bin/bash
curl --request POST --header "PRIVATE-TOKEN: $T" \
  --form "approval_status=approved" --form "name=MIT" \
  "https://code.example.com/api/v4/projects/5/managed_licenses"
curl -X POST -H "PRIVATE-TOKEN: $T" -H 'Content-Type: application/json' \
  "$CI_API_V4_URL/projects/5/managed_licenses" \
  -d '{"name": "GPL", "approval_status": "blacklisted"}'
