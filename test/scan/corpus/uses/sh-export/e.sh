#!/bin/sh
DATA='{"name":"MIT","approval_status":"approved"}'
curl -X POST -H "PRIVATE-TOKEN: $T" -H "Content-Type: application/json" --data "$DATA" "https://code.example.com/api/v4/projects/1/managed_licenses"
