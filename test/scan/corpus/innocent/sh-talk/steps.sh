log "running gitlab-ctl promote-db"
info gitlab-ctl promote-db
die "gitlab-ctl promote-db failed"
grep promote-db /var/log/x || true
sed -i 's/promote-db/promote/' runbook.md
test -f gitlab-ctl-promote-db
