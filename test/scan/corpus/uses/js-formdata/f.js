const form = new FormData();
form.append("approval_status", "approved");
await fetch(`${CI_API_V4_URL}/projects/1/managed_licenses`, { method: "POST", body: form });
