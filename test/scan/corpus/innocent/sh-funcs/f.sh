paused() { systemctl stop "$1"; }
active=$(systemctl is-active x)
[[ $active == "active" ]] && curl -X POST "$CI_API_V4_URL/runners/1" -d "paused=true"
curl "$CI_API_V4_URL/runners/1/jobs?status=running"
cat gitlab-ctl promote-db
