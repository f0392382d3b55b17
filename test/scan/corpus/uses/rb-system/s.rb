system("gitlab-ctl", "promote-db")
`gitlab-ctl promote-to-primary-node`
