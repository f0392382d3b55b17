app.get("/api/v4/runners", (req, res) => {
  if (req.query.status === "paused") return res.json(db.where({ status: "paused" }));
  res.json([{ status: "active" }]);
});
