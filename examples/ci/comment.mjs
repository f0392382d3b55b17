// Writes a markdown report as the one comment of a merge request or pull request that begins with the report's first
// line, its marker: the first run creates it, later ones rewrite it. Needs Node alone, and COMMENT_TOKEN.
import { readFileSync } from "node:fs";

const { env } = process;
const [file = "comment.md"] = process.argv.slice(2);

/** Where comments are, how one is named and changed, and how a token is sent: a row a forge. */
const forges = {
  gitlab: {
    here: Boolean(env.CI_MERGE_REQUEST_IID),
    list: `${env.CI_API_V4_URL}/projects/${env.CI_PROJECT_ID}/merge_requests/${env.CI_MERGE_REQUEST_IID}/notes`,
    one: (list, { id }) => `${list}/${id}`,
    method: "PUT",
    headers: { "PRIVATE-TOKEN": env.COMMENT_TOKEN },
  },
  github: {
    here: Boolean(env.GITHUB_REPOSITORY && env.COMMENT_ON),
    list: `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}/issues/${env.COMMENT_ON}/comments`,
    one: (_, { id }) => `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}/issues/comments/${id}`,
    method: "PATCH",
    headers: { authorization: `Bearer ${env.COMMENT_TOKEN}` },
  },
};

const forge = Object.values(forges).find(({ here }) => here);
if (!forge) throw new Error("this pipeline belongs to no merge request or pull request");

async function send(url, method, body) {
  const headers = { ...forge.headers, "content-type": "application/json" };
  const response = await fetch(url, {
    method,
    headers,
    redirect: "error",
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status}`);
  return response.json();
}

async function find(marker) {
  for (let page = 1; ; page++) {
    const comments = await send(`${forge.list}?per_page=100&page=${page}`, "GET");
    const found = comments.find(({ body }) => body.startsWith(marker));
    if (found || comments.length < 100) return found;
  }
}

const body = readFileSync(file, "utf8");
const comment = await find(body.split("\n")[0]);
if (!comment) await send(forge.list, "POST", { body });
else if (comment.body.trim() !== body.trim()) await send(forge.one(forge.list, comment), forge.method, { body });
