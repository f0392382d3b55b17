import { expect, test } from "vitest";
import { checkValues, isTime } from "../../src/model/call-check.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";

const plainly = (name: string) => name;

test.each([
  [
    "a status that is none",
    { status: "sucess" },
    /^status takes created, running, success, failed or canceled, not "sucess"; did you mean success\?$/,
  ],
  ["a status of another case", { status: "Failed" }, /did you mean failed\?$/],
  ["an order that is none", { order_by: "update_at" }, /did you mean updated_at\?$/],
  ["a day that no calendar has", { updated_after: "2021-02-30" }, /ISO 8601/],
  ["a word for a time", { updated_before: "yesterday" }, /ISO 8601/],
  ["an empty value", { environment: "" }, /^environment is empty/],
  ["an empty project", { id: "" }, /^id is empty/],
])("%s is a mistake", (_, given, words) => {
  const checked = checkValues("listDeployments", { id: "p", ...given }, plainly);
  expect(checked).toEqual({ mistakes: [expect.stringMatching(words)] });
});

test("a status that servers alone set is a filter where a dialect says that its servers take it, and nowhere else", () => {
  const gitlab = catalogueOf("gitlab").facts;
  for (const status of ["skipped", "blocked"]) {
    const given = { id: "p", status };
    expect(checkValues("listDeployments", given, plainly, gitlab)).toEqual({ values: { status }, notes: [] });
    expect(checkValues("listDeployments", given, plainly)).toHaveProperty("mistakes");
    expect(checkValues("updateDeployment", { ...given, deployment_id: "7" }, plainly, gitlab)).toHaveProperty(
      "mistakes",
    );
  }
});

test("every mistake is told, in the order of the table", () => {
  const checked = checkValues("createDeployment", { id: "p", ref: "", status: "done" }, plainly);
  const mistakes = "mistakes" in checked ? checked.mistakes : [];
  expect(mistakes.map((mistake) => mistake.split(" ")[0])).toEqual(["environment", "sha", "ref", "tag", "status"]);
});

test("a time filter brings the order that deployed servers demand, unless another was given", () => {
  const given = { id: "p", updated_after: "2021-11-01" };
  const paired = checkValues("listDeployments", given, plainly);
  expect(paired).toEqual({ values: { order_by: "updated_at", updated_after: "2021-11-01" }, notes: [] });
  const kept = checkValues("listDeployments", { ...given, order_by: "ref" }, plainly);
  expect(kept).toMatchObject({ values: { order_by: "ref" }, notes: [expect.stringContaining("order_by updated_at")] });
});

test("nothing given is nothing sent, and segments are not sent as parameters", () => {
  expect(checkValues("listDeployments", { id: "p", sort: undefined }, plainly)).toEqual({ values: {}, notes: [] });
  const one = { id: "p", deployment_id: "7", status: "failed" };
  expect(checkValues("updateDeployment", one, plainly)).toEqual({ values: { status: "failed" }, notes: [] });
});

test.each(["7a", "-1", "0", "1.5", ""])("%j is no deployment ID", (id) => {
  expect(checkValues("getDeployment", { id: "p", deployment_id: id }, plainly)).toHaveProperty("mistakes");
});

test("times are those of ISO 8601", () => {
  const times = ["2021-11-21", "2020-02-29T23:59", "2021-11-21T07:30:00Z", "2021-11-21T07:30:00.123+05:30"];
  expect(times.filter((text) => !isTime(text))).toEqual([]);
  const others = [
    "2021-11",
    "2021-02-29",
    "2021-13-01",
    "2021-11-21T25:00Z",
    "21.11.2021",
    "2021-11-21 07:30",
    "1637479800",
  ];
  expect(others.filter(isTime)).toEqual([]);
});
