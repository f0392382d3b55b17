// Preloaded into a measured process: writes what it used to the file FIGURES when it ends.
import { writeFileSync } from "node:fs";

process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  const figures = { cpu: (user + system) / 1e6, megabytes: process.resourceUsage().maxRSS / 1024 };
  writeFileSync(process.env.FIGURES, JSON.stringify(figures));
});
