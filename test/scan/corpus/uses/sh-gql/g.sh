curl "$URL/api/graphql" --header "Authorization: Bearer $T" --data @- <<'EOF'
{"query": "query { runners(status: NOT_CONNECTED) { nodes { id } } }"}
EOF
