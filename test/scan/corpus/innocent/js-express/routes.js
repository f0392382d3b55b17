router.get("/runners", async (req, res) => {
  const rows = await db.runners.find({ status: "active" });
  res.json(rows.filter((r) => r.status === "paused"));
});
router.get("/projects/:id/packages", (req, res) => res.json({ pipelines: [] }));
