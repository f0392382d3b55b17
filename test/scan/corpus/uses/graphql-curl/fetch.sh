#!/usr/bin/env bash
curl --silent --header "PRIVATE-TOKEN: $TOKEN" --header "Content-Type: application/json" \
  --data '{"query": "query { project(fullPath: \"a/b\") { packages { nodes { pipelines { nodes { id } } } } } }"}' \
  "$URL/api/graphql"
