const { spawn, execFileSync, exec } = require("child_process");
spawn("gitlab-ctl", ["promote-db"], { stdio: "inherit" });
exec("sudo gitlab-ctl promote-to-primary-node");
