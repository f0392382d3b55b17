glab api "runners/all?status=paused"
glab api -X POST projects/:id/managed_licenses -f name=MIT -f approval_status=approved
glab api --method PUT /projects/5/services/slack --field webhook=x
