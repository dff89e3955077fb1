import type { FileHandle } from "node:fs/promises";
import { Problem } from "../../prompt/problem.ts";
import type { Nostr } from "./memory-key.ts";

const { resolve } = process.getBuiltinModule("node:path");
const { spawn } = process.getBuiltinModule("node:child_process");
const { constants, open } = process.getBuiltinModule("node:fs/promises");

/** Place of a secret key: a file that only its owner can read, a variable, or a command that prints it. */
export type KeyConfig = { readonly file: string } | { readonly env: string } | { readonly command: readonly string[] };

/** Places of keys, by their names. */
export type KeyConfigs = Readonly<Record<string, KeyConfig>>;

/** Dependencies for reading keys. Files and commands are relative to the folder; the environment is often `process.env`. */
export type KeyPlaces = {
  readonly nostr: Nostr;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Maximum time a command may take, in milliseconds; by default 10 seconds. */
  readonly timeoutMs?: number;
};

/**
 * Reads the secret key of that name. Its Problems never contain what was found, because it may be a key all the same. A key in
 * this process's environment is removed from there, so that no child process inherits it.
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

/** Reads an owner's public key, given as hex or as an npub, and returns it as hex. */
export function readPublicKey(nostr: Nostr, given: string): string {
  const text = given.trim();
  try {
    const hex = /^[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : nostr.publicKeyOf(text);
    // Deriving a shared secret fails for numbers that are no public key.
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

/** Variable with the key that signs replies on a blockchain. No child process ever gets it. */
export const chainKeyVariable = "CHARTER_CHAIN_KEY";

const ownEnvironments = new WeakSet<object>([process.env]);

/** Environment of this process over that of a file; no child process inherits the latter. */
export function environmentOver(under: Readonly<Record<string, string | undefined>>): KeyPlaces["env"] {
  const env = { ...under, ...process.env };
  ownEnvironments.add(env);
  return env;
}

/** Copies an environment without the blockchain's key, for everything that starts a process. */
export function withoutChainKey<Env extends KeyPlaces["env"]>(env: Env): Env {
  if (env === process.env || env[chainKeyVariable] === undefined) return env;
  const { [chainKeyVariable]: _key, ...rest } = env;
  if (ownEnvironments.has(env)) ownEnvironments.add(rest);
  return rest as unknown as Env;
}

/** Keys that were removed from `process.env`, for later readers in this process. */
const takenKeys = new Map<string, string>();

/** Reads a variable that holds a key, and removes it from this process's environment. */
export function takeFromEnvironment(name: string, variable: string, env: KeyPlaces["env"]): string {
  const isOwn = ownEnvironments.has(env);
  const outer = isOwn ? process.env[variable]?.trim() || takenKeys.get(variable) : undefined;
  const value = outer || env[variable]?.trim() || undefined;
  if (value === undefined)
    throw keyMissing(`The environment variable ${variable}, where the key “${name}” is to be, is not set.`, "Set it.");
  if (isOwn) {
    takenKeys.set(variable, value);
    delete process.env[variable];
  }
  return value;
}

/** Checks whether a variable holds a key, or did before it was removed from this process's environment. */
export function hasKeyIn(variable: string, env: KeyPlaces["env"]): boolean {
  return Boolean(env[variable]?.trim() || (ownEnvironments.has(env) && takenKeys.has(variable)));
}

/**
 * Removes keys from this process's environment before any child process is started that would inherit them. They are remembered
 * for their readers.
 */
export function hideKeys(keys: Readonly<Record<string, KeyConfig>> = {}): void {
  for (const config of Object.values(keys)) {
    const value = "env" in config ? process.env[config.env]?.trim() : undefined;
    if (!value || !("env" in config)) continue;
    takenKeys.set(config.env, value);
    delete process.env[config.env];
  }
}

/** Removes the blockchain's key and every variable with an nsec, before the configuration says which are keys. */
export function hideSecretKeys(): void {
  const secrets = Object.entries(process.env).filter(
    ([name, value = ""]) => name === chainKeyVariable || /^\s*nsec1\w{58}\s*$/i.test(value),
  );
  hideKeys(Object.fromEntries(secrets.map(([env]) => [env, { env }])));
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

/** Variables password managers need to find themselves, their files and the user. No others are passed on. */
const handedOn =
  /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TMPDIR|XDG_[A-Z_]+|GNUPGHOME|GPG_TTY|PASSWORD_STORE_DIR|SSH_AUTH_SOCK|DBUS_SESSION_BUS_ADDRESS|SYSTEMROOT)$/i;
const maxPrintedCharacters = 1024;

/**
 * Runs a command without a shell, and returns what it prints. Its standard error is discarded, because it may contain the key.
 */
function runKeyCommand(
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
    // The command gets a process group of its own, so that everything it started ends with it.
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
    // The process has ended already.
  }
}

const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/** Maximum size of a key file in bytes. */
const maxKeyBytes = 1024;
const others = 0o077;

/** A key in a file: its name in a Problem, and what to do if it is missing. */
type KeyFile = { readonly called: string; readonly path: string; readonly hint: string };

/** Reads a key's file. It must belong to this user and be readable by nobody else. */
export async function readKeyFile(key: KeyFile): Promise<string> {
  // The file is opened non-blocking, so that a pipe is recognised and not waited for.
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
