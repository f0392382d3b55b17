#!/bin/sh
STATUS=paused
curl -s -H "PRIVATE-TOKEN: $T" "$CI_API_V4_URL/runners?status=$STATUS"
