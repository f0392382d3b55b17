Invoke-RestMethod -Headers @{"PRIVATE-TOKEN"=$t} "$api/projects/$id/services"
