#!/bin/bash
QUERY=$(cat <<'EOF'
query {
  runners(status: NOT_CONNECTED) { nodes { id } }
}
EOF
)
jq -n --arg q "$QUERY" '{query: $q}' | curl -d @- "$URL/api/graphql"
