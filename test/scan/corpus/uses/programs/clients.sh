glab api projects/1/services
glab api "projects/:id/packages" | jq '.[0].pipelines'
http GET "$BASE/api/v4/runners" status==paused "PRIVATE-TOKEN:$T"
curl -G "$BASE/api/v4/runners" --data-urlencode 'status=not_connected'
BODY='{"name":"MIT","approval_status":"approved"}'
curl -d "$BODY" "$BASE/api/v4/projects/1/managed_licenses"
