gitlab-rails runner "Feature.disable(:dependency_proxy_for_private_groups)"
curl -X POST -H "PRIVATE-TOKEN: $T" -d value=false https://code.example.com/api/v4/features/dependency_proxy_for_private_groups
