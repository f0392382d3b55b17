sudo gitlab-ctl promote
./scripts/promote-db
ctl-wrapper --help promote-db
promote-db-report --all
