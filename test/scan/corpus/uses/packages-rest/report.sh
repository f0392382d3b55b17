#!/bin/bash
curl -s -H "PRIVATE-TOKEN: $T" "https://code.example.com/api/v4/projects/7/packages" > packages.json
jq -r '.[] | .pipelines[].id' packages.json
curl -s "https://code.example.com/api/v4/projects/7" | jq '.pipelines'
