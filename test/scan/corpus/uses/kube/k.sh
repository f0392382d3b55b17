kubectl -n gitlab exec -it gitlab-task-runner-6f8d9b7c5-x2k4q -- backup-utility --skip db
kubectl get pod -n gitlab -l app=task-runner -o name
kubectl cp gitlab/gitlab-task-runner-6f8d9b7c5-x2k4q:/tmp/x x
