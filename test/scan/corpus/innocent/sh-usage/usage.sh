#!/bin/sh
usage() {
  cat <<EOF
usage: failover.sh
  runs gitlab-ctl promote-db on the standby
  curl $CI_API_V4_URL/runners?status=paused
EOF
}
echo "see kubectl get pods -l app=task-runner"
: <<'DOC'
gitlab-ctl promote-to-primary-node
DOC
