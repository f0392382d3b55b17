helm upgrade platform gitlab/gitlab --set gitlab.toolbox.enabled=true --set global.x=1
kubectl exec -it deploy/gitlab-toolbox -- backup-utility
kubectl get pods -l app=toolbox,release=platform
