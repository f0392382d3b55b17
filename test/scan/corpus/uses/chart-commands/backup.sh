helm upgrade platform gitlab/gitlab --set gitlab.task-runner.enabled=true --set global.x=1
kubectl exec -it deploy/task-runner -- backup-utility
kubectl get pods -l app=task-runner,release=platform
helm show values platform/task-runner
kubectl logs task-runner
