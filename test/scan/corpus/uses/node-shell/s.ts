import { execSync } from "node:child_process";
const host = "standby";
execSync(`ssh ${host} sudo gitlab-ctl promote-db`, { stdio: "inherit" });
