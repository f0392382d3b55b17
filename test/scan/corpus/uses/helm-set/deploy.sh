helm upgrade --install gitlab gitlab/gitlab --set gitlab.task-runner.backups.cron.enabled=true
