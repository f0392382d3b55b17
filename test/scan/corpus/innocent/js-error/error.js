async function list() {
  const res = await fetch(`${API_V4}/runners/all`, { headers: { "PRIVATE-TOKEN": process.env.T } });
  if (!res.ok) throw new Error(`GET ${API_V4}/runners?status=paused failed: ${res.status}`);
  return res.json();
}
