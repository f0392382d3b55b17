#!/bin/bash
for s in paused active; do
  systemctl show "$s"
done
out=$(curl -fsS -H "PRIVATE-TOKEN: $T" "$CI_API_V4_URL/runners/all?type=instance_type")
code=$(curl -s -o /dev/null -w '%{http_code}' https://status.example.com)
status=$(echo "$out" | wc -l)
[ "$status" = "active" ] && echo ok
kubectl get pods --selector=app=task-runner-worker
