#!/bin/bash
set -e
curl -s -H "PRIVATE-TOKEN: $T" "$CI_API_V4_URL/runners/1" > runner.json
STATE=$(jq -r .status vpn.json)
if [ "$STATE" = "active" ]; then jq .id runner.json; fi
read -r status < /run/vpn
case "$status" in paused) exit 1 ;; esac
