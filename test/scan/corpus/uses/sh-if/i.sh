STATUS="$(curl -s -H "PRIVATE-TOKEN: $T" "https://code.example.com/api/v4/runners/7" | jq -r .status)"
if [[ "$STATUS" == "not_connected" ]]; then exit 1; fi
