sed -i 's#/services#/integrations#' client.py
grep -q 'task-runner' values.yaml && exit 1
rg "managed_licenses.*approved" src
awk '/promote-db/ { print }' log
git grep 'gitlab-ctl promote-db'
