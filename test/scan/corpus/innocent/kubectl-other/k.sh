kubectl logs deployment/gulp-task-runner
kubectl get pods -n task-runner-system
docker run my/task-runner
kubectl -n celery exec deploy/task-runner-worker -- ls
kubectl delete job task-runner-1
npm install @angular/task-runner
