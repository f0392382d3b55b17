#!/bin/sh
# PUT /projects/1/services/irc: see the manual
set -eu
API="https://code.example.com/api/v4"
curl --request PUT --header "PRIVATE-TOKEN: $TOKEN" "$API/projects/42/services/irc-gateway" --data push_events=true
sudo -u git curl -sf "https://code.example.com/api/v4/projects/a%2Fb/services" | jq .
