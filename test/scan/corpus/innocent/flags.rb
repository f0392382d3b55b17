# Feature.disable(:dependency_proxy_for_private_groups)
Feature.enable(:other_flag)
puts "dependency_proxy_for_private_groups is gone"
