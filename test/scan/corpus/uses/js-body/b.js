await fetch(`https://code.example.com/api/v4/projects/${id}/managed_licenses`, {
  method: "POST",
  headers: { "PRIVATE-TOKEN": token, "Content-Type": "application/json" },
  body: JSON.stringify({ name: "MIT", approval_status: "approved" }),
});
