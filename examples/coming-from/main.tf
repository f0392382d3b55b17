variable "hook" { sensitive = true }

locals {
  teams = { api = "#api", web = "#web" }
}

resource "gitlab_integration_slack" "chat" {
  for_each      = local.teams
  project       = "platform/${each.key}"
  webhook       = var.hook
  issue_channel = each.value
  push_channel  = var.room
}
