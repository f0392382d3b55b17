#!/bin/bash
status() { systemctl show -p ActiveState "$1" | cut -d= -f2; }
runners="$(curl -s -H "PRIVATE-TOKEN: $T" "$CI_API_V4_URL/runners")"
state="$(status vpn)"
[[ "$state" == "active" ]] || exit 1
[ "$1" = "paused" ] && exit 0
echo "$runners" | jq '.[].id'
