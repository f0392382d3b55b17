Write-Host "https://code.example.com/api/v4/runners?status=paused"
Write-Output "gitlab-ctl promote-db"
$vpn = Get-Vpn
if ($vpn.status -eq "paused") { exit 1 }
