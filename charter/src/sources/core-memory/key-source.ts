import type { FileHandle } from "node:fs/promises";
import { Problem } from "../../prompt/problem.ts";
import type { Nostr } from "./memory-key.ts";

const { resolve } = process.getBuiltinModule("node:path");
const { spawn } = process.getBuiltinModule("node:child_process");
const { constants, open } = process.getBuiltinModule("node:fs/promises");

/** Where a secret key is: in a file that only its owner can read, in the environment, or what a command prints. */
export type KeyConfig = { readonly file: string } | { readonly env: string } | { readonly command: readonly string[] };

/** Where keys are, by their names. */
export type KeyConfigs = Readonly<Record<string, KeyConfig>>;

/** What keys are read with. Files and commands are looked for from the folder; the environment is often `process.env`. */
export type KeyPlaces = {
  readonly nostr: Nostr;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long a command may take; 10 seconds, unless given. */
  readonly timeoutMs?: number;
};

/**
 * Reads the secret key of that name. What was found is in no Problem: it may be a key all the same. One from this
 * process's environment is taken out of it, so that nothing we start inherits it.
 */
export async function readKey(name: string, config: KeyConfig | undefined, places: KeyPlaces): Promise<Uint8Array> {
  if (config === undefined)
    throw keyMissing(
      `There is no key “${name}” in the configuration.`,
      `Say where it is: keys: { ${name}: { file: "…" } }.`,
    );
  if (Object.values(config).flat().some(looksLikeKey))
    throw badKey(
      `The configuration of the key “${name}” holds a key.`,
      "Say where it is, as in { file: … }, and no more.",
    );
  return secretFrom(places.nostr, name, await readPlace(name, config, places));
}

async function readPlace(name: string, config: KeyConfig, places: KeyPlaces): Promise<string> {
  if ("file" in config)
    return readKeyFile({
      ...{ called: `key “${name}”`, path: resolve(places.folder, config.file) },
      hint: "Put the key there, with mode 0600.",
    });
  if ("env" in config) return takeFromEnvironment(name, config.env, places.env);
  return runKeyCommand(name, config.command, places);
}

function looksLikeKey(text: string): boolean {
  return /nsec1|(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/i.test(text);
}

/** The public key of an owner, as hex; given as that, or as an npub. */
export function readPublicKey(nostr: Nostr, given: string): string {
  const text = given.trim();
  try {
    const hex = /^[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : nostr.publicKeyOf(text);
    // Not every number is a key: only what a secret can be shared with is.
    nostr.conversationKey(nostr.newSecret(), hex);
    return hex;
  } catch {
    throw badKey(
      /nsec1/i.test(text) ? "The owner's key is a secret one." : "The owner's public key is none.",
      "Give the owner's public key: an npub, or 64 hex digits.",
    );
  }
}

function secretFrom(nostr: Nostr, name: string, text: string): Uint8Array {
  const key = text.trim();
  try {
    const secret = /^[0-9a-f]{64}$/i.test(key) ? Uint8Array.from(Buffer.from(key, "hex")) : nostr.secretOf(key);
    nostr.publicKey(secret);
    return secret;
  } catch {
    throw badKey(
      `What was read for the key “${name}” is no secret key of Nostr.`,
      "Give an nsec, or 64 hex digits, and nothing else.",
    );
  }
}

/** The variable with the key that replies on a chain are signed with. Nothing we start is ever handed it. */
export const chainKeyVariable = "CHARTER_CHAIN_KEY";

const ours = new WeakSet<object>([process.env]);

/** This process's environment, and under it what a file sets; nothing that is started inherits that. */
export function environmentOver(under: Readonly<Record<string, string | undefined>>): KeyPlaces["env"] {
  const env = { ...under, ...process.env };
  ours.add(env);
  return env;
}

/** The same environment without the key of the chain, for all who start something. */
export function withoutChainKey<Env extends KeyPlaces["env"]>(env: Env): Env {
  if (env === process.env || env[chainKeyVariable] === undefined) return env;
  const { [chainKeyVariable]: _key, ...rest } = env;
  if (ours.has(env)) ours.add(rest);
  return rest as unknown as Env;
}

/** What was taken out of `process.env`: whoever asks again in this process is given the same. */
const taken = new Map<string, string>();

/** The value of a variable that holds a key. Taken from this process's environment, it is gone from there. */
export function takeFromEnvironment(name: string, variable: string, env: KeyPlaces["env"]): string {
  const isOwn = ours.has(env);
  const outer = isOwn ? process.env[variable]?.trim() || taken.get(variable) : undefined;
  const value = outer || env[variable]?.trim() || undefined;
  if (value === undefined)
    throw keyMissing(`The environment variable ${variable}, where the key “${name}” is to be, is not set.`, "Set it.");
  if (isOwn) {
    taken.set(variable, value);
    delete process.env[variable];
  }
  return value;
}

/** Whether a variable holds a key, or did before it was taken out of this process's environment. */
export function hasKeyIn(variable: string, env: KeyPlaces["env"]): boolean {
  return Boolean(env[variable]?.trim() || (ours.has(env) && taken.has(variable)));
}

/**
 * Takes the keys that are in this process's environment out of it, before anything is started that would inherit them.
 * They are remembered for those who read them.
 */
export function hideKeys(keys: Readonly<Record<string, KeyConfig>> = {}): void {
  for (const config of Object.values(keys)) {
    const value = "env" in config ? process.env[config.env]?.trim() : undefined;
    if (!value || !("env" in config)) continue;
    taken.set(config.env, value);
    delete process.env[config.env];
  }
}

/** The same for that of the chain and every variable that holds an nsec, where nobody has said yet which are keys. */
export function hideSecretKeys(): void {
  const found = Object.entries(process.env).filter(
    ([name, value = ""]) => name === chainKeyVariable || /^\s*nsec1\w{58}\s*$/i.test(value),
  );
  hideKeys(Object.fromEntries(found.map(([env]) => [env, { env }])));
}

function badKey(message: string, hint: string): Problem {
  return new Problem("bad-key", message, hint);
}

function keyMissing(message: string, hint: string): Problem {
  return new Problem("key-missing", message, hint);
}

type KeyCommandOptions = {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
};

/** What password managers need to find themselves, their files and the user. Nothing else is handed on. */
const handedOn =
  /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TMPDIR|XDG_[A-Z_]+|GNUPGHOME|GPG_TTY|PASSWORD_STORE_DIR|SSH_AUTH_SOCK|DBUS_SESSION_BUS_ADDRESS|SYSTEMROOT)$/i;
const maxPrintedCharacters = 1024;

/** What a command prints, run without a shell. What it says on standard error is not kept: it may be the key. */
export function runKeyCommand(
  name: string,
  [program = "", ...args]: readonly string[],
  { folder, env, timeoutMs = 10_000 }: KeyCommandOptions,
): Promise<string> {
  const failed = (why: string) =>
    new Problem(
      "key-missing",
      `The command for the key “${name}”, ${program}, ${why}.`,
      "Run it yourself, in the same folder: it has to print the key and nothing else.",
    );
  const handed = Object.fromEntries(Object.entries(env).filter(([variable]) => handedOn.test(variable)));
  return new Promise((resolve, reject) => {
    // A group of its own, so that whatever it started ends with it.
    const child = spawn(program, args, {
      cwd: folder,
      env: handed,
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let printed = "";
    const giveUp = (why: string) => {
      endGroup(child.pid);
      child.stdout.destroy();
      reject(failed(why));
    };
    const timer = setTimeout(() => giveUp(`did not finish within ${timeoutMs / 1000} seconds`), timeoutMs);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (printed.length > maxPrintedCharacters) giveUp("printed more than a key");
    });
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(failed(`could not be run (${(error as { readonly code?: string }).code})`));
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve(printed);
      else reject(failed(`failed (${signal ?? `exit code ${code}`})`));
    });
  });
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/** No key is longer. */
const maxKeyBytes = 1024;
const others = 0o077;

/** A key that is in a file: what it is called in a Problem, and what to do where it is not there. */
type KeyFile = { readonly called: string; readonly path: string; readonly hint: string };

/** What a key's file says. It has to be a file of this user's, and nobody else's to read. */
export async function readKeyFile(key: KeyFile): Promise<string> {
  // Without waiting, so that a pipe is seen for what it is.
  const file = await open(key.path, O_RDONLY | O_NONBLOCK).catch((error: unknown) => {
    throw missing(key, codeOf(error) === "ENOENT" ? "is not there" : `cannot be read (${codeOf(error)})`);
  });
  try {
    await checkFile(key, file);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(maxKeyBytes), 0, maxKeyBytes, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

async function checkFile(key: KeyFile, file: FileHandle): Promise<void> {
  const stat = await file.stat();
  if (!stat.isFile()) throw missing(key, "is no file");
  const { mode, uid } = stat;
  const user = process.getuid?.();
  if (user === undefined) return;
  if (uid !== user) throw exposed(`${fileOf(key)} is another user's.`, "Make a copy of your own, of mode 0600.");
  if ((mode & others) !== 0)
    throw exposed(
      `${fileOf(key)} has mode ${(mode & 0o777).toString(8).padStart(4, "0")}: others may use it.`,
      `Run chmod 600 ${key.path}; where others may have read it, make a new key.`,
    );
}

function fileOf({ called, path }: KeyFile): string {
  return `The file of the ${called}, ${path},`;
}

function missing(key: KeyFile, fault: string): Problem {
  return new Problem("key-missing", `${fileOf(key)} ${fault}.`, key.hint);
}

function exposed(message: string, hint: string): Problem {
  return new Problem("key-exposed", message, hint);
}

function codeOf(error: unknown): string {
  return String((error as { readonly code?: unknown }).code);
}
