import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadNostr } from "../../src/sources/core-memory/memory-key.ts";
import { bareEnvironment, charterMeanwhile, command, createFolder, type Folder } from "../cli.ts";
import { eventually } from "../eventually.ts";
import { startStrictRelay } from "../relays/strict-relay.ts";

/**
 * Three secret keys: in a file, in the environment, and what a command prints. Wherever one could turn up, it is looked
 * for.
 */

type Canary = { readonly secret: Buffer; readonly nsec: string; readonly hex: string };

let folder: Folder;
let relay: Awaited<ReturnType<typeof startStrictRelay>>;
let canaries: Record<"ada" | "eva" | "bo", Canary>;
/** All that anyone was shown, and by what. */
const shown: [by: string, what: string | Buffer][] = [];
/** Innocent, so that nothing hides it for its name. */
const variable = "PLAIN_WORDS";

beforeAll(async () => {
  const nostr = await loadNostr();
  const canary = (): Canary => {
    const secret = Buffer.from(nostr.newSecret());
    return { secret, nsec: nostr.nsec(secret), hex: secret.toString("hex") };
  };
  canaries = { ada: canary(), eva: canary(), bo: canary() };
  relay = await startStrictRelay();
  folder = createFolder({
    "charter.config.mjs": `export default { keys: {
      ada: { file: "keys/ada.key" }, eva: { env: "${variable}" }, bo: { command: ["sh", "keys/bo.sh"] } } };\n`,
    "keys/ada.key": `${canaries.ada.nsec}\n`,
    "keys/bo.txt": canaries.bo.hex,
    "keys/bo.sh": "env > environment-of-the-command.txt\ncat keys/bo.txt\n",
    "environment.mjs": `import { writeFileSync } from "node:fs";
export default () => writeFileSync("environment-of-the-extension.txt", JSON.stringify(process.env));\n`,
  });
  chmodSync(join(folder.path, "keys/ada.key"), 0o600);
  expect((await run(["trust"])).code).toBe(0);
  const owner = nostr.npub(nostr.publicKey(nostr.newSecret()));
  for (const name of ["ada", "eva", "bo"]) {
    const memory = ["--relay", relay.url, "--owner", owner, "--key", name];
    expect(await run(["agents", "add", name, "-c", "resident", ...memory])).toMatchObject({ code: 0 });
  }
});
afterAll(async () => {
  await relay.stop();
  folder.remove();
});

const environment = () => ({ HOME: join(folder.path, "home"), [variable]: canaries.eva.hex });

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const answer = await charterMeanwhile(args, { cwd: folder.path, env: { ...environment(), ...env } });
  shown.push([`charter ${args.join(" ")}`, answer.stdout + answer.stderr]);
  return answer;
}

/** In a process of its own, which has no environment but the one it is given. */
async function runAlone(args: readonly string[], stdin = "", env: Readonly<Record<string, string>> = {}) {
  const environmentThere = { ...bareEnvironment(), ...environment(), ...env };
  const child = spawn(process.execPath, [command, ...args], { cwd: folder.path, env: environmentThere });
  child.stdin.end(stdin);
  const said = await Promise.all([child.stdout, child.stderr].map((stream) => text(stream)));
  shown.push([`charter ${args.join(" ")}`, said.join("")]);
}

/** Every way a key can be written. */
function formsOf({ secret, nsec, hex }: Canary): readonly Buffer[] {
  const texts = [hex, hex.toUpperCase(), nsec, nsec.toUpperCase(), `${[...secret]}`, JSON.stringify(secret)];
  const encoded = [secret, Buffer.from(hex), Buffer.from(nsec)].flatMap((bytes) =>
    // In base64 a piece of text looks different at each of three places.
    [0, 1, 2].map((skip) => bytes.subarray(skip, bytes.length - ((bytes.length - skip) % 3)).toString("base64")),
  );
  return [secret, ...[...texts, ...encoded].map((text) => Buffer.from(text))];
}

function leaks(places: readonly (readonly [string, string | Buffer])[]): string[] {
  return places.flatMap(([where, what]) =>
    Object.entries(canaries).flatMap(([name, canary]) =>
      formsOf(canary).some((form) => Buffer.from(what).includes(form)) ? [`the key of ${name}: ${where}`] : [],
    ),
  );
}

function files(): [string, Buffer][] {
  return folder
    .names()
    .filter((name) => !/^keys\//.test(name))
    .map((name) => [name, readFileSync(join(folder.path, name))]);
}

describe("a secret key is nowhere but where it was put", () => {
  test("not in what any command prints, in words or as JSON", async () => {
    for (const agent of ["ada", "eva", "bo"]) {
      const of = (...args: string[]) => run([...args, "--agent", agent]);
      expect((await of("core", "set", `You are ${agent}.`, "--json")).stdout).toContain('"published"');
      expect((await of("core", "get", "--json")).stdout).toContain(`You are ${agent}.`);
    }
    const commands = [
      ["doctor", "--json"],
      ["chat", "--agent", "eva", "--user", "bo", "Hello.", "--json"],
      ["checkpoint", "save", "all.checkpoint", "--json"],
      ["show", "--agent", "ada", "--json"],
      ["core", "relays", "--agent", "ada", "--json"],
      ["core", "history", "--agent", "ada", "--json"],
      ["core", "list", "--agent", "ada", "--json"],
      ["core", "publish", "--agent", "ada", "--json"],
      ["why", "--agent", "ada", "You are ada.", "--json"],
      ["agents", "show", "ada", "--json"],
      ["amend", "--agent", "eva", "--section", "core", "--operation", "append", "--content", "You like tea.", "--json"],
      ["turns", "--agent", "eva", "--json"],
      ["history", "--agent", "eva", "--json"],
      ["export", "--user", "bo", "--json"],
      ["verify", "--json"],
    ];
    for (const args of commands) await run(args);
    expect(leaks(shown)).toEqual([]);
  });

  test("not in what is said where something is wrong with it", async () => {
    const wrong: [agent: string, file: string, content: string, mode: number][] = [
      ["ada", "keys/ada.key", canaries.ada.nsec, 0o644],
      ["ada", "keys/ada.key", `${canaries.ada.nsec}${canaries.ada.hex}`, 0o600],
      ["ada", "keys/ada.key", canaries.ada.nsec.slice(0, -1), 0o600],
      ["bo", "keys/bo.sh", "cat keys/bo.txt keys/bo.txt", 0o600],
      ["bo", "keys/bo.sh", "cat keys/bo.txt >&2; exit 1", 0o600],
    ];
    for (const [agent, file, content, mode] of wrong) {
      const before = folder.read(file);
      folder.write(file, content);
      chmodSync(join(folder.path, file), mode);
      // A script that a command runs is compared with what was trusted.
      await run(["trust"]);
      const { stdout, stderr } = await run(["core", "get", "--agent", agent]);
      expect(stdout + stderr).toMatch(/bad-key|key-exposed|key-missing/);
      for (const args of [
        ["show", "--json"],
        ["core", "set", "You are nobody."],
      ])
        await run([...args, "--agent", agent]);
      await run(["doctor", "--json"]);
      folder.write(file, before);
      chmodSync(join(folder.path, file), 0o600);
      await run(["trust"]);
    }
    const short = { [variable]: canaries.eva.hex.slice(1) };
    await run(["doctor"], short);
    const cut = Object.values(canaries).flatMap(({ hex, nsec }) => [hex.slice(1), nsec.slice(0, -1)]);
    expect(shown.filter(([, what]) => cut.some((piece) => String(what).includes(piece)))).toEqual([]);
    expect(leaks(shown)).toEqual([]);
  });

  test("not in the environment of what we start: a coding agent's shell, an extension, the command of a key", async () => {
    await runAlone(["core", "get", "--agent", "bo"]);
    const args = ["chat", "--charter", "coder", "--extension", join(folder.path, "environment.mjs")];
    const looks = "run `env > environment-of-the-shell.txt`\n";
    await runAlone(args, looks, { [variable]: canaries.eva.nsec });
    expect(leaks(files())).toEqual([]);
    await runAlone(args.slice(0, 3), looks);
    for (const who of ["command", "shell", "extension"])
      expect(folder.read(`environment-of-the-${who}.txt`)).toContain("PATH");
    expect(leaks([...shown, ...files()])).toEqual([]);
  });

  test("not in the log of a server, nor in what it answers, nor in any row or file", async () => {
    const child = spawn(process.execPath, [command, "start", "--no-open", "--port", "0", "--json"], {
      cwd: folder.path,
      env: { ...bareEnvironment(), ...environment() },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let log = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        log += chunk;
      });
    const url = await new Promise<string>((resolve) => {
      createInterface({ input: child.stdout }).on("line", (line) => resolve(JSON.parse(line).url));
    });
    const made = await run(["tokens", "create", "--operator", "--json"]);
    const { secret } = JSON.parse(made.stdout) as { secret: string };
    const ask = async (path: string, body?: object) => {
      const answer = await fetch(new URL(path, url), {
        headers: { authorization: `Bearer ${secret}`, ...(body ? { "content-type": "application/json" } : {}) },
        ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
      });
      const text = await answer.text();
      shown.push([path, text]);
      return [answer.status, text] as const;
    };
    for (const agent of ["ada", "eva", "bo"]) {
      expect((await ask(`/api/agents/${agent}/core`))[0]).toBe(200);
      for (const path of ["", "/prompt", "/history?section=core", "/sections"])
        await ask(`/api/agents/${agent}${path}`);
    }
    const [status] = await ask("/api/agents/eva/turns", { input: "Hello." });
    expect(status).toBeLessThan(300);
    await ask("/api/agents/nobody/core");
    await eventually(() => log.includes("eva"));
    const gone = once(child, "close");
    child.kill("SIGTERM");
    await gone;
    shown.push(["the log", log]);
    expect(leaks([...shown, ...files()])).toEqual([]);
  });

  test("and it would be found: in any of its forms, in any file", () => {
    const { secret, nsec, hex } = canaries.ada;
    const around = (what: Buffer) => Buffer.concat([Buffer.from("abc "), what, Buffer.from(" xyz")]);
    for (const what of [secret, Buffer.from(nsec), Buffer.from(hex)])
      for (const bytes of [
        around(what),
        Buffer.from(around(what).toString("base64")),
        Buffer.from(`x${around(what).toString("base64")}`),
      ])
        expect(leaks([["here", bytes]])).toEqual(["the key of ada: here"]);
    expect(leaks([["keys/bo.txt", readFileSync(join(folder.path, "keys/bo.txt"))]])).toEqual([
      "the key of bo: keys/bo.txt",
    ]);
  });
});
