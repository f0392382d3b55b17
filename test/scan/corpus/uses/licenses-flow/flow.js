const url = `${api}/projects/1/managed_licenses`;
const body = { name: "MIT", approval_status: "approved" };
await client.post(url, body);
const licenses = await client.get(url);
for (const entry of licenses) {
  if (entry.approval_status === "blacklisted") drop(entry);
}
