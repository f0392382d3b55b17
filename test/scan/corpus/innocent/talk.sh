#!/bin/sh
echo "gitlab-ctl promote-db is gone; use promote"
echo gitlab-ctl promote-to-primary-node
printf '%s\n' "https://code.example.com/api/v4/projects/1/services"
grep -rn "gitlab-ctl promote-db" docs   # gitlab-ctl promote-db
cat <<'EOF'
sudo gitlab-ctl promote-db
curl https://code.example.com/api/v4/projects/1/services
EOF
git commit -m "Stop calling gitlab-ctl promote-db"
