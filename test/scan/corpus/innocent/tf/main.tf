resource "aws_instance" "task-runner" {
  tags = { pipelines = "x", status = "paused" }
}
variable "type" { type = string }
