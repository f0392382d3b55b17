args=(--data name=MIT --data approval_status=approved)
curl -X POST -H "PRIVATE-TOKEN: $T" "${args[@]}" https://gitlab.example.com/api/v4/projects/1/managed_licenses
query=()
query+=(--get)
query+=(
  -d "status=paused" # of runners
  -d 'per_page=100'
)
curl -H "PRIVATE-TOKEN: $T" "${query[@]}" https://gitlab.example.com/api/v4/runners
