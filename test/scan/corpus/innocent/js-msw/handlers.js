export const handlers = [
  rest.get("/projects/:id/services", (req, res, ctx) => res(ctx.json([]))),
  rest.get("/runners", (req, res, ctx) => res(ctx.json([{ id: 1, status: "paused" }]))),
];
