curl -s -H "PRIVATE-TOKEN: $T" "$CI_API_V4_URL/runners" |
  python3 -c 'import json,sys; print([r["id"] for r in json.load(sys.stdin) if r["status"] == "paused"])'
