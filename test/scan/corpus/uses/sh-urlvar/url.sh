#!/bin/bash
URL="https://code.example.com/api/v4/runners/all?status=active"
curl -s --header "PRIVATE-TOKEN: $TOKEN" "$URL"
