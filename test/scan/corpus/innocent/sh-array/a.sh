args=(--data name=MIT --data approval_status=approved)
curl -X POST "${args[@]}" https://shop.example.com/reviews
args=(--data name=MIT --data approval_status=allowed)
curl -X POST -H "PRIVATE-TOKEN: $T" "${args[@]}" https://gitlab.example.com/api/v4/projects/1/managed_licenses
states=(approved blacklisted)
declare -A names=([approved]=allowed [blacklisted]=denied)
f() (
  curl -X POST -H "PRIVATE-TOKEN: $T" -d "approval_status=${names[$1]}" https://gitlab.example.com/api/v4/projects/1/managed_licenses
)
