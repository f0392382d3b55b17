kubectl logs deploy/my-own-task-runner-api
kubectl get pods -l app=toolbox
npm run task-runner
npx task-runner build
