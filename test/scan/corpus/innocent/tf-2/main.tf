resource "kubernetes_deployment" "task-runner" {
  metadata { labels = { app = "task-runner" } }
}
output "note" { value = "gitlab-ctl promote-db" }
