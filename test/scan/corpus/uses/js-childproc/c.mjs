import { execa, execFile } from "execa";
execFile("sudo", ["gitlab-ctl", "promote-db"], (e) => { if (e) throw e; });
