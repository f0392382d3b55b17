const params = { status: "active" };
const users = await db.users.findAll({ where: params });
const runners = await gitlab.get("/api/v4/runners", { params: { scope: "shared" } });
for (const user of users) if (user.status === "paused") mail(user);
for (const tag of runners.map((r) => r.tag_list)) console.log(tag);
