import { expect, test } from "vitest";
import { read } from "../readme.ts";
import { folder } from "../support/folder.ts";
import { type Comment, commentForge, type Forge } from "./forge.ts";
import { runScript, type Variables } from "./shell.ts";

/** A forge's name for the token's owner, how it changes a comment, and what it tells a job. */
const forges: readonly (readonly [string, string, string, (url: string, run: number) => Variables])[] = [
  [
    "merge request",
    "project_7_bot",
    "PUT",
    (url, run) => ({ CI_API_V4_URL: url, CI_PROJECT_ID: "7", CI_MERGE_REQUEST_IID: "3", CI_PIPELINE_ID: String(run) }),
  ],
  [
    "pull request",
    "github-actions[bot]",
    "PATCH",
    (url, run) => ({
      GITHUB_API_URL: url,
      GITHUB_GRAPHQL_URL: `${url}/graphql`,
      GITHUB_REPOSITORY: "a/b",
      COMMENT_ON: "3",
      GITHUB_RUN_ID: String(run),
    }),
  ],
];

const marked = (text: string) => `<!-- evenkeel:plan -->\n${text}\n`;

/** What `comment.mjs` sends for a report, GET and the question for the token's owner left out. */
async function comment({ url, asked }: Forge, report: string, variables: (url: string) => Variables) {
  const { root } = folder({ "comment.md": report, "comment.mjs": read("templates/comment.mjs") });
  asked.splice(0);
  const ran = await runScript("node comment.mjs comment.md", root, variables(url), root);
  const sent = asked.filter((line) => !/^GET|\/graphql$/.test(line)).map((line) => line.split(" ")[0]);
  return { ...ran, sent };
}

test.each(forges)(
  "on a %s is its token's own, made once, rewritten by ID, and left alone when it says the same",
  async (_, me, method, env) => {
    const talk = Array.from({ length: 130 }, (_, id): Comment => ({ id, by: "grace", body: `talk ${id}` }));
    const hostile: Comment = { id: 900, by: "mallory", body: marked("All is well.") };
    const forge = await commentForge({ t: me }, [hostile, ...talk]);
    const run = (text: string, pipeline: number, token = "t") =>
      comment(forge, marked(text), (url) => ({ ...env(url, pipeline), COMMENT_TOKEN: token }));

    expect(await run("one", 5)).toMatchObject({ exit: 0, sent: ["POST"] });
    expect(await run("two", 6)).toMatchObject({ exit: 0, sent: [method] });
    expect(await run("two", 6)).toMatchObject({ exit: 0, sent: [] });
    expect(await run("stale", 4)).toMatchObject({
      exit: 0,
      sent: [],
      output: "A later pipeline has commented already.\n",
    });
    expect(forge.comments).toHaveLength(132);
    expect(forge.comments.at(-1)?.body).toBe("<!-- evenkeel:plan -->\n<!-- evenkeel:run 6 -->\ntwo");
    expect(hostile.body).toBe(marked("All is well."));

    expect(await run("three", 7, "wrong")).toMatchObject({ sent: [], output: expect.stringContaining("403") });
    expect(await run("three", 7, "")).toMatchObject({
      exit: 0,
      sent: [],
      output: expect.stringContaining("No COMMENT_TOKEN"),
    });
  },
);

test("outside of a merge request, or of what is no report, is an error", async () => {
  const [[, me, , env] = ["", "", "", () => ({})]] = forges;
  const forge = await commentForge({ t: me });
  const nowhere = await comment(forge, marked("x"), () => ({ COMMENT_TOKEN: "t" }));
  expect(nowhere).toMatchObject({ exit: 1, output: expect.stringContaining("belongs to no merge request") });
  const unmarked = await comment(forge, "Hello.", (url) => ({ ...env(url, 1), COMMENT_TOKEN: "t" }));
  expect(unmarked).toMatchObject({ exit: 1, sent: [], output: expect.stringContaining("not a markdown report") });
});
