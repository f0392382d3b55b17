/** @param {Plan} plan */
function headlineOf({ summary, problems }) {
  const { writes, changed_projects: changed, projects, outcomes } = summary;
  if (outcomes) return `${grouped(outcomes.applied)} of ${counted(writes, "change")} applied`;
  if (writes > 0) return `${counted(writes, "change")} in ${grouped(changed)} of ${counted(projects, "project")}`;
  return problems.length > 0 ? "No changes among what could be read" : "Nothing to change";
}

/** @param {Plan} plan */
function leadOf({ summary, problems }) {
  if (summary.writes > 0 || problems.length > 0) return "";
  const { projects, unverified } = summary;
  const doubt = unverified > 0 ? `, but for ${counted(unverified, "parameter")} that the server does not report` : "";
  return `${counted(projects, "project")} ${projects === 1 ? "is" : "are"} as declared${doubt}.`;
}

/** @param {Plan} plan */
function factsOf({ created_at: createdAt, manifests, summary }) {
  const facts = [
    ["Made", `${momentOf(createdAt)} ${ageOf(createdAt)}`],
    ["Commit", manifests.commit?.slice(0, 12) ?? ""],
    ["Requests", `${grouped(summary.reads)} to read, ${grouped(summary.writes)} to write`],
    ["Unmanaged", summary.unmanaged > 0 ? `${grouped(summary.unmanaged)} live, in no policy` : ""],
    ["Unverified", summary.unverified > 0 ? counted(summary.unverified, "parameter") : ""],
  ];
  return facts
    .filter(([, text]) => text)
    .map(([name, text]) => element("div", "", element("dt", "", name ?? ""), element("dd", "", visible(text ?? ""))));
}

/** @param {string} iso */
function momentOf(iso) {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d.*Z$/.test(iso) ? `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC` : iso;
}

/** @param {string} iso */
function ageOf(iso) {
  const hours = (Date.now() - Date.parse(iso)) / 3_600_000;
  if (!(hours >= 1)) return "";
  return hours < 48 ? `(${counted(Math.floor(hours), "hour")} ago)` : `(${counted(Math.floor(hours / 24), "day")} ago)`;
}

function drawHead() {
  const title = plan.summary.outcomes ? "Apply" : "Plan";
  part("title").textContent = title;
  document.title = `${title}: ${headlineOf(plan)}`;
  part("server").textContent = visible(plan.server.url);
  part("headline").textContent = headlineOf(plan);
  part("lead").textContent = leadOf(plan);
  part("lead").hidden = leadOf(plan) === "";
  part("headline").classList.toggle("settled", leadOf(plan) !== "");
  fill(part("facts"), ...factsOf(plan));
  fill(part("notices"), ...noticesOf(plan));
  part("colophon").textContent = visible(`Evenkeel ${plan.evenkeel_version} · plan ${plan.digest}`);
}
