helm upgrade platform gitlab/gitlab --set gitlab.toolbox.enabled=true --set global.x=1
kubectl exec -it deploy/toolbox -- backup-utility
kubectl get pods -l app=toolbox,release=platform
helm show values platform/toolbox
kubectl logs toolbox
