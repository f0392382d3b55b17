#!/bin/bash
runners=$(curl -s -H "PRIVATE-TOKEN: $T" "$CI_API_V4_URL/runners" | jq length)
status=$(systemctl is-active vpn)
if [ "$status" = "active" ]; then echo "$runners"; fi
curl -s "https://billing.example.com/plans?status=paused"
jq '.pipelines' config.json
