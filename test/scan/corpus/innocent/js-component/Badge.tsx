export function Badge({ status }: { status: "paused" | "active" | "not_connected" }) {
  if (status === "paused") return <b title="GET /api/v4/runners?status=paused">paused</b>;
  return <i>{status === "active" ? "on" : "off"}</i>;
}
