import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Folder, folder, tempFolder } from "../support/folder.ts";
import { type Ran, type Setting, stage } from "../support/stage.ts";

const slug = "irc-gateway";
const keyTypes = ["ed25519", "ecdsa", "rsa"] as const;
let keyFolder = "";
const keyFile = (name: string) => join(keyFolder, name);

beforeAll(() => {
  keyFolder = tempFolder();
  for (const type of keyTypes) {
    execFileSync("ssh-keygen", ["-q", "-t", type, "-N", "", "-C", type, "-f", keyFile(type)]);
  }
});

const publicKey = (type: string) =>
  readFileSync(keyFile(`${type}.pub`), "utf8")
    .split(" ")
    .slice(0, 2)
    .join(" ");
const everybody = () => keyTypes.map((type) => `${type}@example.com ${publicKey(type)}\n`).join("");

interface Required {
  readonly rules?: string;
  readonly signers?: string;
  readonly expire?: string;
}

const at = ({ root }: Pick<Folder, "root">, name: string) => join(root, name);

/** A stage whose applies need approvals, and a saved plan of it. */
async function reviewed(required: Required = {}, workspace: object = {}) {
  const { rules = "[{ when: always, count: 2 }]", signers = everybody(), expire } = required;
  const setting: Setting = {
    workspace,
    projects: [{ id: 1, path: "a/b", integrations: { [slug]: { recipients: "x" } } }],
  };
  const staged = await stage({ ...setting, policy: { projects: ["a/b"], disabled: [slug] } });
  const text = `signers: allowed_signers\nrules: ${rules}\n${expire ? `expire: ${expire}\n` : ""}`;
  const outside = folder({ allowed_signers: signers, "approvals.yaml": text });
  const env = { EVENKEEL_APPROVALS: at(outside, "approvals.yaml") };
  await staged.evenkeel("plan", "--out", "plan.json", "--quiet");
  staged.asked();
  return {
    ...staged,
    outside,
    sign: (type: string, ...args: string[]) => staged.evenkeel("approve", "plan.json", "--key", keyFile(type), ...args),
    apply: (...args: string[]) => staged.evenkeelWith(env, "apply", ...args),
  };
}

/** What a run printed, in one line. */
const said = ({ stdout, stderr }: Ran) => `${stdout}\n${stderr}`.replace(/\s+/g, " ");

describe("approvals", () => {
  it("let an apply write once enough different people signed the plan", async () => {
    const staged = await reviewed();
    const none = await staged.apply("plan.json", "--yes");
    expect([none.code, none.writes, said(none)]).toEqual([
      3,
      0,
      expect.stringContaining("needs 2 approvals because it has changes; it has none"),
    ]);
    const told = await staged.apply("plan.json", "--yes", "--report", "json");
    expect(told.plan().resource_changes.map(({ outcome }) => outcome?.error)).toEqual(["blocked by missing approvals"]);
    expect((await staged.sign("ed25519")).code).toBe(0);
    await staged.sign("ed25519");
    const one = await staged.apply("plan.json", "--yes");
    expect([one.code, one.writes, said(one)]).toEqual([
      3,
      0,
      expect.stringContaining("it has 1 (ed25519@example.com)"),
    ]);
    await staged.sign("rsa");
    const two = await staged.apply("plan.json", "--yes");
    expect([two.code, two.writes, said(two)]).toEqual([0, 1, expect.not.stringContaining("approval")]);
  });

  it("stand in every plan that will need them, and do not keep it from being signed and applied", async () => {
    const staged = await reviewed();
    const plan = (...args: string[]) =>
      staged.evenkeelWith({ EVENKEEL_APPROVALS: at(staged.outside, "approvals.yaml") }, "plan", ...args);
    const shown = await plan("--out", "plan.json");
    expect([shown.code, shown.stdout.split("\n")[0]]).toEqual([0, "Needs 2 approvals, has none."]);
    expect((await plan("--fail-on-guard", "--quiet")).code).toBe(3);
    const { objections } = (await plan("--report", "json")).plan();
    expect(objections).toMatchObject([{ guard: "approvals", approvals: { needed: 2, given: 0 } }]);
    const signed = await staged.sign("ed25519");
    expect(said(signed)).not.toContain("has none");
    expect(signed.stdout).toContain("holds 1 signature; the plan needed 2 approvals when it was saved.");
    const lacking = await staged.apply("plan.json", "--yes");
    expect([lacking.code, lacking.stdout.split("\n")[0]]).toEqual([3, "Needs 2 approvals, has 1."]);
    await staged.sign("rsa");
    expect(await staged.apply("plan.json", "--yes")).toMatchObject({ code: 0, writes: 1 });
  });

  it("are told from what passes for them in a few words, and a file that merge requests reach is a warning", async () => {
    const staged = await reviewed();
    const block = "-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n";
    writeFileSync(at(staged, "plan.json.sig"), block.repeat(2000));
    const many = await staged.apply("plan.json");
    expect([many.code, said(many).length < 3000]).toEqual([3, true]);
    expect(said(many)).toContain("and 1990 more that do not count");
    staged.write("own/approvals.json", '{ "signers": "allowed", "rules": [{ "when": "always", "count": 1 }] }');
    staged.write("own/allowed", everybody());
    const inside = await staged.evenkeelWith(
      { EVENKEEL_APPROVALS: at(staged, "own/approvals.json") },
      "apply",
      "--yes",
    );
    expect([inside.code, inside.stderr]).toEqual([3, expect.stringContaining("is inside the workspace")]);
  });

  it("are needed for a plan that was never saved", async () => {
    const staged = await reviewed({ rules: "[{ when: removals, count: 1 }]" });
    const ran = await staged.apply("--yes");
    expect([ran.code, ran.writes, said(ran)]).toEqual([
      3,
      0,
      expect.stringContaining("needs 1 approval because it disables or deletes something; save it with"),
    ]);
  });

  it("of a plan that is edited afterwards, or of another, count for nothing", async () => {
    const staged = await reviewed({ rules: "[{ when: always, count: 1 }]" });
    await staged.sign("ed25519");
    const signed = readFileSync(at(staged, "plan.json.sig"), "utf8");
    staged.policy({ projects: ["a/b"], integrations: { [slug]: { recipients: "y" } } });
    await staged.evenkeel("plan", "--out", "plan.json", "--quiet");
    expect(said(await staged.apply("plan.json", "--yes"))).toContain("signature 1 was made for another plan");
    const { stderr } = await staged.sign("rsa");
    expect(stderr).toContain("Removed 1 signature of another plan");
    expect(readFileSync(at(staged, "plan.json.sig"), "utf8")).not.toContain(signed.trim());
    expect((await staged.apply("plan.json", "--yes")).code).toBe(0);
  });

  it("count for a plan that a person waives a guard for, and not for one that was not named", async () => {
    const staged = await reviewed({ rules: "[{ when: always, count: 1 }]" }, { protected: ["a/b:*"] });
    await staged.sign("ed25519");
    expect((await staged.apply("plan.json", "--yes")).code).toBe(3);
    const unnamed = await staged.apply("--plan", "", "--yes");
    expect([unnamed.code, unnamed.writes, said(unnamed)]).toEqual([
      1,
      0,
      expect.stringContaining("the state keeps no plan"),
    ]);
    const waived = await staged.apply("plan.json", "--yes", "--allow-protected", `a/b:integration/${slug}`);
    expect([said(waived), waived.code, waived.writes]).toEqual([expect.not.stringContaining("approval"), 0, 1]);
  });

  it("of a plan in the state are kept there, and count as those beside a file", async () => {
    const staged = await reviewed();
    const [, run = ""] = /--plan (\S+)/.exec((await staged.evenkeel("plan", "--save", "--quiet")).stderr) ?? [];
    const sign = (type: string) => staged.evenkeel("approve", "--plan", run, "--key", keyFile(type));
    staged.asked();
    expect(said(await staged.apply("--plan", run))).toContain("it has none");
    await sign("ecdsa");
    const signed = await sign("ecdsa");
    expect(signed.stdout).toContain(`run ${run}, holds 1 signature.`);
    expect(signed.stderr).toMatch(/^Plan of \d{4}-.*\n\n(?:Needs attention\n[\s\S]*\n)?Plan: 0 to create, /);
    const one = await staged.apply("--plan", run);
    expect([one.code, one.writes, said(one)]).toEqual([3, 0, expect.stringContaining("it has 1 (ecdsa@example.com)")]);
    await sign("ed25519");
    const two = await staged.apply("--plan", run);
    expect([two.code, two.writes, two.stdout]).toEqual([0, 1, expect.stringContaining(slug)]);
    const [both, neither, gone] = [
      await staged.evenkeel("approve", "plan.json", "--plan", run),
      await staged.evenkeel("approve"),
      await staged.evenkeel("approve", "--plan", "20261121T072315Z-1f2e"),
    ];
    expect([both.code, neither.code, gone.code]).toEqual([64, 64, 1]);
    expect(said(gone)).toContain("the state keeps no plan of run 20261121T072315Z-1f2e");
  });

  it.each([
    ["a key that nobody listed", `bob@x ${"KEY"}`, "was made with a key that the signers file does not list"],
    [
      "a key that expired",
      `bob@x ${"KEY"}\ned@x valid-before="20200101" ed25519`,
      "was made with a key that is not valid now",
    ],
    [
      "a key for something else",
      `bob@x ${"KEY"}\ned@x namespaces="git" ed25519`,
      "was made with a key that the signers file does not list",
    ],
  ])("by %s count for nothing", async (_, lines, reason) => {
    const signers = lines.replace("KEY", publicKey("rsa")).replace(/ed25519$/, publicKey("ed25519"));
    const staged = await reviewed({ signers, rules: "[{ when: always, count: 1 }]" });
    await staged.sign("ed25519");
    expect(said(await staged.apply("plan.json", "--yes"))).toContain(`signature 1 ${reason}`);
  });

  it("expire with the plan's age, and a plan from the future is none", async () => {
    const staged = await reviewed({ rules: "[{ when: always, count: 1 }]", expire: "24h" });
    await staged.sign("ed25519");
    const plan = JSON.parse(readFileSync(at(staged, "plan.json"), "utf8"));
    const aged = (offset: number) =>
      JSON.stringify({ ...plan, created_at: new Date(Date.now() + offset).toISOString() });
    writeFileSync(at(staged, "plan.json"), aged(-25 * 3_600_000));
    expect(said(await staged.apply("plan.json", "--yes"))).toContain("it is older than 24 h");
    writeFileSync(at(staged, "plan.json"), aged(3_600_000));
    expect(said(await staged.apply("plan.json", "--yes"))).toContain("is in the future");
    writeFileSync(at(staged, "plan.json"), aged(-3_600_000));
    expect((await staged.apply("plan.json", "--yes")).code).toBe(0);
  });

  it.each([
    ["is not there", undefined, "cannot be read"],
    [
      "has a pattern",
      { signers: "*@example.com ssh-ed25519 AAAA\n" },
      "allowed_signers:1:1 *@example.com is a pattern",
    ],
    ["has an unknown rule", { rules: "[{ when: removal, count: 1 }]" }, "approvals.yaml:2:17 rules.0.when"],
    ["has a broken line", { signers: "\nnonsense\n" }, "allowed_signers:2:1 expected PRINCIPAL"],
  ])("that cannot be judged, since the file %s, end the run before any write", async (_, required, message) => {
    const staged = await reviewed(required);
    const run = required
      ? staged.apply("plan.json", "--yes")
      : staged.evenkeelWith({ EVENKEEL_APPROVALS: "/none.yaml" }, "apply", "--yes");
    const ran = await run;
    expect([ran.code, ran.writes, said(ran)]).toEqual([1, 0, expect.stringContaining(message)]);
  });
});

it("refuses a plan if the file names fewer people than it requires, and says so", async () => {
  const staged = await reviewed({ signers: "# nobody yet\n" });
  const ran = await staged.apply("plan.json", "--yes");
  expect(ran).toMatchObject({ code: 3, writes: 0 });
  expect(said(ran)).toMatch(/the plan needs 2 approvals because .*, and only 0 people may approve/);
  const env = { EVENKEEL_APPROVALS: at(staged.outside, "approvals.yaml") };
  expect((await staged.evenkeelWith(env, "plan")).stderr).toMatch(
    /^warning: .*asks for 2 approvals, and .* names no one/m,
  );
});

describe("signatures are those of ssh-keygen", () => {
  it.each(keyTypes)("%s: it verifies ours, and we accept its own", async (type) => {
    const staged = await reviewed({ rules: "[{ when: always, count: 1 }]" });
    const plan = JSON.parse(readFileSync(at(staged, "plan.json"), "utf8"));
    const message = `${plan.digest}\n${plan.server.url}\n`;
    const args = [
      "-Y",
      "verify",
      "-f",
      at(staged.outside, "allowed_signers"),
      "-I",
      `${type}@example.com`,
      "-n",
      "evenkeel-plan",
    ];
    await staged.sign(type);
    const checked = spawnSync("ssh-keygen", [...args, "-s", at(staged, "plan.json.sig")], { input: message });
    expect([checked.status, String(checked.stdout)]).toEqual([0, expect.stringContaining("Good")]);
    const theirs = execFileSync("ssh-keygen", ["-Y", "sign", "-n", "evenkeel-plan", "-f", keyFile(type)], {
      input: message,
      stdio: "pipe",
    });
    writeFileSync(at(staged, "plan.json.sig"), theirs);
    expect((await staged.apply("plan.json", "--yes")).code).toBe(0);
  });

  it("an agent signs with the key that it holds", async () => {
    const staged = await reviewed({ rules: "[{ when: always, count: 1 }]" });
    const socket = keyFile("agent");
    const agent = String(execFileSync("ssh-agent", ["-s", "-a", socket]));
    const pid = Number(/SSH_AGENT_PID=(\d+)/.exec(agent)?.[1]);
    try {
      execFileSync("ssh-add", ["-q", keyFile("ecdsa")], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
      const { code, stdout } = await staged.evenkeelWith({ SSH_AUTH_SOCK: socket }, "approve", "plan.json");
      expect([code, stdout]).toEqual([0, expect.stringContaining("plan.json.sig holds 1 signature")]);
    } finally {
      process.kill(pid);
    }
    expect((await staged.apply("plan.json", "--yes")).code).toBe(0);
  });

  it("a key that cannot be read is one sentence, and nothing is written", async () => {
    const staged = await reviewed();
    const { code, stderr } = await staged.evenkeel("approve", "plan.json", "--key", "nowhere");
    const errors = stderr.split("\n").filter((line) => line.startsWith("error: "));
    expect([code, errors.length, stderr.trimEnd().endsWith(errors[0] ?? "?")]).toEqual([1, 1, true]);
    expect(existsSync(at(staged, "plan.json.sig"))).toBe(false);
  });
});
