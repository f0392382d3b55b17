kubectl get pods -l app=task-runner | grep task-runner | awk '{ print $1 }'
kubectl exec -it "$(kubectl get pods -l app=task-runner -o name)" -c task-runner -- \
  backup-utility --restore -t my-task-runner
kubectl exec -it "$(kubectl get pods -l app=task-runner -o name)" -c task-runner -- backup-utility
helm upgrade gitlab gitlab/gitlab --set gitlab.task-runner.enabled=true -f task-runner.yaml
