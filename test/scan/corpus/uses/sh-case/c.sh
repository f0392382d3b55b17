status=$(curl -s -H "PRIVATE-TOKEN: $T" "$CI_API_V4_URL/runners/$ID" | jq -r '.status')
case "$status" in
  paused) echo p ;;
esac
