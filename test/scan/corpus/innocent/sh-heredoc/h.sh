cat > README.md <<'EOF'
Run `gitlab-ctl promote-db`:
    gitlab-ctl promote-db
kubectl get pods -lapp=task-runner
EOF
tee -a notes.txt <<EOF
curl $CI_API_V4_URL/runners?status=paused
EOF
