logger.info "GET https://code.example.com/api/v4/projects/1/services"
Rails.logger.warn("use promote instead of gitlab-ctl promote-db")
raise ArgumentError, "https://code.example.com/api/v4/runners?status=paused"
puts "Feature.enable(:dependency_proxy_for_private_groups)"
