// Takes the pictures of README from a console, where there is a browser.
import { existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

export async function take(address, folder) {
  if (!executablePath) return process.stderr.write("No picture was taken: chromium is not installed.\n");
  mkdirSync(folder, { recursive: true });
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  const page = await browser.newPage({ viewport: { width: 940, height: 960 } });
  await page.goto(`${address}/`);
  await shot(page, join(folder, "console-fleet.png"));
  await page.setViewportSize({ width: 940, height: 668 });
  await page.locator("table.stack tbody a").first().click();
  await shot(page, join(folder, "console-project.png"));
  await browser.close();
}

async function shot(page, path) {
  await page.screenshot({ path });
  process.stderr.write(`${path}: ${Math.ceil(statSync(path).size / 1024)} KB\n`);
}
