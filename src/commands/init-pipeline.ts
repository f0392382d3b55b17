import { version } from "../base/version.ts";

export interface PipelineFile {
  readonly file: string;
  readonly text: string;
  readonly placeholders: readonly string[];
  /** Settings that the forge needs (examples/ci/README.md). */
  readonly settings: readonly string[];
}

const image = `registry.example.com/platform/evenkeel:${version}`;

const gitlab = `# Reviews, applies and watches this workspace. A pipeline schedule of the default branch looks for drift.
include:
  - component: $CI_SERVER_FQDN/platform/evenkeel/plan@${version}
  - component: $CI_SERVER_FQDN/platform/evenkeel/apply@${version}
  - component: $CI_SERVER_FQDN/platform/evenkeel/drift@${version}

variables:
  EVENKEEL_IMAGE: ${image}
`;

const action = `platform/evenkeel@v${version}`;
const checkout = "actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0";

const github = `# Reviews, applies and watches this workspace.
name: evenkeel

on:
  pull_request:
  push:
    branches: [main]
  schedule:
    - cron: "17 3 * * *"
  # Plans and applies again, for example after a plan became stale, or to let deletions pass the guards.
  workflow_dispatch:
    inputs:
      options:
        description: More options of the apply, such as --allow-deletes 3

permissions:
  contents: read

env:
  EVENKEEL_URL: \${{ vars.EVENKEEL_URL }}

jobs:
  # Without a token, so it also runs for forks.
  check:
    if: github.event_name == 'pull_request' || github.event_name == 'push'
    runs-on: ubuntu-24.04
    steps:
      - uses: ${checkout}
      - uses: ${action}
        with: { command: check }

  propose:
    if: github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name == github.repository
    runs-on: ubuntu-24.04
    concurrency: { group: "evenkeel-comment-\${{ github.event.pull_request.number }}", cancel-in-progress: true }
    permissions:
      contents: read
      pull-requests: write
    steps:
      - uses: ${checkout}
        with: { fetch-depth: 2 }
      - uses: ${action}
        with: { command: propose, comment-token: "\${{ github.token }}" }
        env:
          EVENKEEL_TOKEN: \${{ secrets.EVENKEEL_READ_TOKEN }}

  plan:
    if: github.event_name == 'push' || github.event_name == 'workflow_dispatch'
    runs-on: ubuntu-24.04
    environment: plans
    outputs:
      pending: \${{ steps.plan.outputs.pending }}
    steps:
      - uses: ${checkout}
      - id: plan
        uses: ${action}
        with: { command: plan }
        env:
          EVENKEEL_TOKEN: \${{ secrets.EVENKEEL_READ_TOKEN }}
          EVENKEEL_STATE: \${{ secrets.EVENKEEL_STATE }}

  # Waits for the reviewers of the environment, and applies exactly that plan.
  apply:
    needs: plan
    if: needs.plan.outputs.pending == 'true'
    runs-on: ubuntu-24.04
    environment: production
    concurrency: evenkeel-apply
    steps:
      - uses: ${checkout}
      - uses: ${action}
        with: { command: apply, options: "\${{ inputs.options }}" }
        env:
          EVENKEEL_TOKEN: \${{ secrets.EVENKEEL_WRITE_TOKEN }}
          EVENKEEL_STATE: \${{ secrets.EVENKEEL_STATE }}
          # One line for each secret that the policies reference, such as NAME: \${{ secrets.NAME }} for env:NAME.

  drift:
    if: github.event_name == 'schedule'
    runs-on: ubuntu-24.04
    environment: plans
    steps:
      - uses: ${checkout}
      - uses: ${action}
        with: { command: drift }
        env:
          EVENKEEL_TOKEN: \${{ secrets.EVENKEEL_READ_TOKEN }}
          EVENKEEL_STATE: \${{ secrets.EVENKEEL_STATE }}
`;

export const pipelines: Readonly<Record<"gitlab" | "github", PipelineFile>> = {
  gitlab: {
    file: ".gitlab-ci.yml",
    text: gitlab,
    placeholders: ["platform/evenkeel", image],
    settings: [
      "EVENKEEL_URL as a CI/CD variable of the project: the server's URL",
      "EVENKEEL_READ_TOKEN as a masked variable: scope read_api",
      "EVENKEEL_WRITE_TOKEN as a masked and protected variable: scope api",
      "a pipeline schedule of the default branch, such as 0 3 * * *: looks for drift",
    ],
  },
  github: {
    file: ".github/workflows/evenkeel.yml",
    text: github,
    placeholders: [action],
    settings: [
      "EVENKEEL_URL as a variable of the repository: the server's URL",
      "EVENKEEL_READ_TOKEN as a secret of the repository: scope read_api",
      "EVENKEEL_WRITE_TOKEN as a secret of the environment production: scope api",
    ],
  },
};
