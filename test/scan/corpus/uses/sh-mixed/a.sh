#!/bin/bash
api="https://code.example.com/api/v4"
get() { curl -s -H "PRIVATE-TOKEN: $T" "$@"; }
curl -s -H "PRIVATE-TOKEN: $T" "${api}/runners?status=active"
pod=x
kubectl exec "$(kubectl get pod -l app=task-runner -o name)" -- backup-utility
