async function approved(api, id) {
  const response = await fetch(`${api}/api/v4/projects/${id}/managed_licenses`);
  const licenses = await response.json();
  return licenses.filter(({ approval_status }) => approval_status === "approved");
}
