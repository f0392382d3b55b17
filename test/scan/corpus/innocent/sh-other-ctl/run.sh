pg_ctl promote -D /data
gitlab-ctl promotion-preflight-checks
gitlab-ctl --help | grep promote-db
alias failover='echo gitlab-ctl promote-db'
man gitlab-ctl promote-db
