app.get("/projects/:id/services", (request, response) => response.json(services));
router.get("/runners", (request, response) => response.json({ paused: "paused" }));
