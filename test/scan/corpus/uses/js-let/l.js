let url = `${baseUrl}/api/v4/runners`;
if (group) url = `${baseUrl}/api/v4/groups/${group}/runners`;
url += "?status=paused";
const res = await fetch(url, { headers: { "PRIVATE-TOKEN": t } });
