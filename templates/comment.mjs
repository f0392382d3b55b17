// Publishes a markdown report as one comment of a merge request or pull request: the comment by COMMENT_TOKEN's user that begins
// with the report's first line, its marker. The first run creates it, later runs update it by its ID. Requires only Node.
import { readFileSync } from "node:fs";

const { env } = process;
const [file = "comment.md"] = process.argv.slice(2);

/** One row per forge: where comments are, how one is updated, who wrote it, and how the token is sent. */
const forges = {
  gitlab: {
    here: Boolean(env.CI_MERGE_REQUEST_IID),
    list: `${env.CI_API_V4_URL}/projects/${env.CI_PROJECT_ID}/merge_requests/${env.CI_MERGE_REQUEST_IID}/notes`,
    one: (list, { id }) => `${list}/${id}`,
    method: "PUT",
    headers: { "PRIVATE-TOKEN": env.COMMENT_TOKEN },
    me: async () => (await send(`${env.CI_API_V4_URL}/user`, "GET")).id,
    author: (comment) => comment.author?.id,
    run: env.CI_PIPELINE_ID,
  },
  github: {
    here: Boolean(env.GITHUB_REPOSITORY && env.COMMENT_ON),
    list: `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}/issues/${env.COMMENT_ON}/comments`,
    one: (_, { id }) => `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}/issues/comments/${id}`,
    method: "PATCH",
    headers: { authorization: `Bearer ${env.COMMENT_TOKEN}` },
    // A workflow's token has no access to GET /user.
    me: async () => (await send(env.GITHUB_GRAPHQL_URL, "POST", { query: "{ viewer { login } }" })).data.viewer.login,
    author: (comment) => comment.user?.login,
    run: env.GITHUB_RUN_ID,
  },
};

const forge = Object.values(forges).find(({ here }) => here);
if (!forge) throw new Error("this pipeline belongs to no merge request or pull request");
if (!env.COMMENT_TOKEN) {
  console.log("No COMMENT_TOKEN here: the report is an artifact of this job.");
  process.exit();
}

async function send(url, method, body) {
  const headers = { ...forge.headers, "content-type": "application/json" };
  const response = await fetch(url, {
    method,
    headers,
    redirect: "error",
    signal: AbortSignal.timeout(30_000),
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status}`);
  return response.json();
}

/** Anybody can write a comment that begins with the marker: only our own is ours. */
async function find(marker) {
  const me = await forge.me();
  if (!me) throw new Error("the forge does not say whose COMMENT_TOKEN is");
  for (let page = 1; ; page++) {
    const comments = await send(`${forge.list}?per_page=100&page=${page}`, "GET");
    const found = comments.find((each) => forge.author(each) === me && each.body?.startsWith(marker));
    if (found || comments.length < 100) return found;
  }
}

/** The pipeline that a comment is of, so that an older one that ends late leaves it alone. */
const stamp = (run) => `<!-- evenkeel:run ${run} -->`;
const runOf = ({ body }) => Number(/<!-- evenkeel:run (\d+) -->/.exec(body)?.[1] ?? 0);

const text = readFileSync(file, "utf8").trim();
const [marker] = text.split("\n");
if (!/^<!-- evenkeel:\w+ -->$/.test(marker)) throw new Error(`${file} is not a markdown report of evenkeel`);
const body = text.replace("\n", `\n${stamp(forge.run)}\n`);
const comment = await find(marker);
if (!comment) await send(forge.list, "POST", { body });
else if (runOf(comment) > Number(forge.run)) console.log("A later pipeline has commented already.");
else if (comment.body.trim() !== body) await send(forge.one(forge.list, comment), forge.method, { body });
