@echo off
rem curl -d "approval_status=approved" https://gitlab.example.com/api/v4/projects/1/managed_licenses
:: gitlab-ctl promote-db
echo it's gitlab-ctl promote-db
curl -d "approval_status=approved" https://shop.example.com/reviews
