curl -X POST -d "name=MIT" -d "approval_status=approved" https://gitlab.example.com/api/v4/projects/1/managed_licenses
rem it's 'approved' below
curl -X POST ^
  -d "approval_status=blacklisted" ^
  https://gitlab.example.com/api/v4/projects/1/managed_licenses
