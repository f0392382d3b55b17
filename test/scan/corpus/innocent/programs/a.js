const services = await fetch("/projects/1/services");
const { tags } = useTags(); request.get(`/groups/${g}/registry/repositories`); const x = { tags: 1 };
if (status === "paused") {}
const type = "types:"; const s = "gitlab-ctl promote-db";
