kubectl exec -it deployment/gitlab-task-runner -c task-runner -- backup-utility
kubectl -n gitlab get pods -lapp=task-runner
