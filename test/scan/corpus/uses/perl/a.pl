system("gitlab-ctl promote-db") == 0 or die "failed";
