kubectl get pods -l app=my-task-runner
kubectl logs -f deploy/gulp-task-runner -c worker
kubectl create ns task-runner-ns
helm install task-runner-queue ./charts/queue
oc rollout status dc/go-task-runner
