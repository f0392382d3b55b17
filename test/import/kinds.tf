variable "hook" {
  sensitive = true
}
resource "gitlab_group" "g" {
  name                  = "Payments"
  path                  = "payments"
  visibility_level      = "private"
  ip_restriction_ranges = ["10.0.0.0/8", "10.1.0.0/8"]
  push_rules {
    prevent_secrets = true
  }
  default_branch_protection_defaults {
    allowed_to_push  = ["developer"]
    allow_force_push = true
  }
}
resource "gitlab_group" "sub" {
  name        = "Services"
  path        = "services"
  parent_id   = gitlab_group.g.id
  description = "x"
}
resource "gitlab_project" "bare" {
  for_each     = toset(["a", "b"])
  name         = each.key
  namespace_id = gitlab_group.sub.id
}
resource "gitlab_project" "api" {
  name             = "api"
  namespace_id     = gitlab_group.g.id
  visibility_level = "private"
  tags             = ["a"]
  issues_enabled   = false
  import_url       = "https://x"
  push_rules {
    author_email_regex = "@example.com$"
  }
  container_expiration_policy {
    enabled = true
    cadence = "1d"
  }
}
resource "gitlab_branch_protection" "main" {
  project            = gitlab_project.api.id
  branch             = "main"
  push_access_level  = "no one"
  merge_access_level = "maintainer"
  allowed_to_push { user_id = 5 }
  allowed_to_push { group_id = 7 }
  allowed_to_merge { user_id = data.gitlab_user.bob.id }
}
resource "gitlab_tag_protection" "v" {
  project             = gitlab_project.api.id
  tag                 = "v*"
  create_access_level = "developer"
}
resource "gitlab_project_hook" "ci" {
  project     = gitlab_project.api.id
  url         = "https://hooks.example.com/ci"
  token       = var.hook
  push_events = false
  custom_headers {
    key   = "X"
    value = "CANARY-0123456789"
  }
}
resource "gitlab_project_variable" "v" {
  for_each = { A = "CANARY-0123456789", B = "2" }
  project  = gitlab_project.api.id
  key      = each.key
  value    = each.value
}
resource "gitlab_label" "bug" {
  project = gitlab_project.api.id
  name    = "bug"
  color   = "orange"
}
resource "gitlab_project_approval_rule" "r" {
  project            = gitlab_project.api.id
  name               = "Sec"
  approvals_required = 1
  user_ids           = [50, 500]
}
resource "gitlab_pipeline_schedule" "n" {
  project     = gitlab_project.api.id
  description = "nightly"
  ref         = "refs/heads/main"
  cron        = "0 1 * * *"
}
resource "gitlab_project_protected_environment" "p" {
  project     = gitlab_project.api.id
  environment = "production"
  deploy_access_levels_attribute = [{ access_level = "maintainer" }, { user_id = 5 }]
}
resource "gitlab_project_push_rules" "again" {
  project      = gitlab_project.api.id
  member_check = false
}
resource "gitlab_deploy_key" "k" {
  project = "payments/other"
  title   = "ci"
  key     = "ssh-rsa AAA"
}
resource "gitlab_project_badge" "b" {
  project   = gitlab_project.api.id
  name      = "b"
  link_url  = "https://l"
  image_url = "https://i"
}
resource "gitlab_group_hook" "h" {
  group       = "payments"
  url         = "https://x"
  push_events = true
}
resource "gitlab_group_variable" "v" {
  group = gitlab_group.sub.full_path
  key   = "TOKEN"
  value = "CANARY-0123456789"
}
resource "gitlab_group_variable" "lost" {
  group = gitlab_group.elsewhere.id
  key   = "TOKEN"
  value = "CANARY-0123456789"
}
data "gitlab_group" "web" {
  group_id = 77
}
resource "gitlab_group_label" "bug" {
  group = data.gitlab_group.web.id
  name  = "bug"
  color = "orange"
}
resource "gitlab_group_label" "none" {
  for_each = toset([])
  group    = "payments"
  name     = each.key
}
resource "gitlab_group_badge" "b" {
  group     = gitlab_group.g.id
  name      = "b"
  link_url  = "https://l"
  image_url = "https://i"
}
resource "gitlab_group_integration_mattermost" "chat" {
  group    = gitlab_group.g.id
  webhook  = "https://chat.example.com/CANARY-0123456789"
  username = "keel"
}
resource "gitlab_group_membership" "m" {
  group_id = 1
}
resource "gitlab_pipeline_schedule_variable" "n" {
  project = gitlab_project.api.id
  key     = "A"
}
