Invoke-RestMethod -Headers @{ "PRIVATE-TOKEN" = $t } -Uri "https://code.example.com/api/v4/runners?status=paused"
