const list = await fetch(`${api}/projects/1/managed_licenses`);
const review = { approval_status: "approved" };
await fetch("https://reviews.example.com/api?approval_status=approved");
await fetch(`${api}/projects/1/merge_requests?approval_status=approved`);
function open(entry) {
  return entry.approval_status === "blacklisted";
}
