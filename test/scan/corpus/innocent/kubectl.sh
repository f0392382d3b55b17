kubectl logs deploy/my-own-task-runner-api
kubectl get pods -l app=toolbox
npm run task-runner
npx task-runner build
kubectl get pods -l app=task-runner-queue
kubectl logs deploy/my-task-runner
kubectl get pods -l app=my-task-runner
kubectl rollout status deploy/task-runner-worker
kubectl apply -f ./task-runner
helm upgrade --install app ./task-runner
helm upgrade --install app ../charts/task-runner --set my-task-runner.enabled=true
helm upgrade --install app ./app --set task-runner-queue.replicas=2
