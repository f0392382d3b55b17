curl "$CI_API_V4_URL/runners/all?status=never_contacted&per_page=100"
curl --get "$CI_API_V4_URL/runners" --data status=paused
curl "$CI_API_V4_URL/runners?status=offline"
curl "$CI_API_V4_URL/runners/9" | jq -e 'select(.status == "active")'
