const api = axios.create({ baseURL: "https://code.example.com/api/v4", headers: { "PRIVATE-TOKEN": t } });
await api.post(`/projects/${id}/managed_licenses`, {
  name: "GPL", approval_status: "blacklisted",
});
