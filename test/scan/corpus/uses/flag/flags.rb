Feature.disable(:dependency_proxy_for_private_groups)
puts Feature.enabled?("repository_push_audit_event")
