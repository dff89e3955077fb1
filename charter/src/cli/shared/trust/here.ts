import type { Environment } from "../../../delivery/models/provider.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { Config } from "../../../server/config.ts";
import { existsSync } from "../../../sources/input-file.ts";
import type { ProjectPlaces } from "../../../sources/trust/trust.ts";
import type { LookedAt, UntrustedFile } from "./settings-file.ts";

const { dirname, join, resolve } = process.getBuiltinModule("node:path");

/**
 * What was said for one run of the settings of a directory: nothing of them counts; those beside a configuration that
 * was named do; or those do that make this fingerprint of the project.
 */
type Said = { readonly without: true } | { readonly named: string } | { readonly fingerprint: string };

/** What a command was told of the directory it runs in: also where it is kept that it is trusted. */
type HereOptions = {
  readonly said?: Said;
  readonly home?: string | undefined;
  readonly config?: string | undefined;
};

/**
 * The directory a command runs in: what was said of it for this run, and what of it may be read. A command makes one
 * and passes it on. Nothing is looked at before it is asked for.
 */
export type Here = {
  /** What was said of a directory: of any but this one, nothing. */
  readonly saidOf: (directory: string) => Said | undefined;
  /** The directory, and where it is kept that it is trusted. */
  readonly places: () => Promise<ProjectPlaces>;
  /** The files here that say where words and keys go, and that nobody has trusted as they are. */
  readonly untrusted: () => Promise<readonly UntrustedFile[]>;
  /**
   * Nothing is asked of a model while a configuration or models here wait for somebody's trust: without them, words
   * would go elsewhere than whoever wrote them meant. A .env that was never trusted is left out, and that is said.
   */
  readonly check: () => Promise<void>;
  /**
   * What the configuration and the models here say; nothing where there are none, or the run goes without. Those that
   * are not trusted are a Problem: one is code, and would run. `says`: what of them is wanted.
   */
  readonly settings: (says?: string) => Promise<Config | undefined>;
  /** One of those settings, for whoever asks for it when it is needed. */
  readonly setting: <Name extends keyof typeof wanted>(name: Name) => Promise<Config[Name]>;
  /** The same settings, for whoever only looks: those that are not trusted say nothing. */
  readonly trustedSettings: () => Promise<Config>;
  /**
   * The environment commands read: this process's, and under it what a trusted .env sets. It is no part of
   * `process.env`, so nothing that is started inherits it.
   */
  readonly environment: () => Promise<Environment>;
  /** The same for whoever asks a model, after `check`. */
  readonly environmentForModels: () => Promise<Environment>;
};

const wanted = {
  keys: "where keys are",
  acp: "how agents are started",
  mcp: "how MCP servers are reached",
  charters: "which charters there are",
} as const;

export function createHere({ said, home, config }: HereOptions = {}): Here {
  const root = resolve(".");
  const { without, named, fingerprint } = (said ?? {}) as Partial<Record<"without" | "named" | "fingerprint", string>>;
  const files = () => import("./settings-file.ts");
  const places = async () => (await import("../directory.ts")).placesOf({ home, config });
  // Where all are trusted, that is found out once, until one of them is another: what it says is compared when it is read.
  let seen: { readonly names: string; readonly stamps: string; readonly looked: readonly LookedAt[] } | undefined;
  let noticed: string | undefined;
  let read: { readonly text: string; readonly env: Environment } | undefined;

  const lookAround = async (): Promise<readonly LookedAt[]> => {
    const { lookAt, settingsHere, stampsOf } = await files();
    const names = settingsHere();
    if (names.length === 0) return [];
    if (seen?.names === names.join() && seen.stamps === stampsOf(seen.looked)) return seen.looked;
    const looked = lookAt(names, await places(), fingerprint);
    const isWhole = looked.every(({ trust }) => trust === "trusted");
    seen = isWhole ? { names: names.join(), stamps: stampsOf(looked), looked } : undefined;
    return looked;
  };
  const untrusted = async () =>
    (await lookAround()).filter((one): one is LookedAt & UntrustedFile => one.trust !== "trusted");
  const check = async () => {
    const waiting = without || named !== undefined ? [] : await untrusted();
    if (waiting.length === 0) return;
    const problem = (await files()).untrustedProblem(waiting);
    if (waiting.some(({ file, trust }) => file !== ".env" || trust === "changed")) throw problem;
    const words = `notice: env-untrusted: ${problem.message} ${problem.hint}\n`;
    if (noticed !== words) process.stderr.write(words);
    noticed = words;
  };
  const settings = async (says?: string) => {
    const { readSettings, untrustedProblem } = await files();
    if (named !== undefined) return readSettings(named);
    const looked = without ? [] : (await lookAround()).filter(({ file }) => file !== ".env");
    if (looked.length === 0) return undefined;
    const waiting = looked.filter((one): one is LookedAt & UntrustedFile => one.trust !== "trusted");
    if (waiting.length > 0) throw untrustedProblem(waiting, says);
    return readSettings(undefined, new Map(looked.flatMap((one) => [...one.files])));
  };
  const environmentText = async () => {
    const path = named === undefined ? ".env" : join(dirname(named), ".env");
    if (without || !existsSync(path)) return undefined;
    const { readEnvironment } = await files();
    if (named !== undefined) return readEnvironment(path);
    const looked = (await lookAround()).find(({ file }) => file === ".env");
    return looked?.trust === "trusted" ? readEnvironment(path, looked.files) : undefined;
  };
  const environment = async () => {
    const text = await environmentText();
    if (text === undefined) return process.env;
    const { environmentOver } = await import("../../../sources/core-memory/key-source.ts");
    if (read?.text !== text)
      read = { text, env: environmentOver(process.getBuiltinModule("node:util").parseEnv(text)) };
    return read.env;
  };
  const setting = async <Name extends keyof typeof wanted>(name: Name): Promise<Config[Name]> =>
    ((await settings(wanted[name])) ?? ({} as Config))[name];
  return {
    saidOf: (directory) => (directory === root ? said : undefined),
    places,
    untrusted,
    check,
    settings,
    setting,
    trustedSettings: async () => (await settings().catch(isUntrusted)) ?? {},
    environment,
    environmentForModels: async () => {
      await check();
      return environment();
    },
  };
}

/** Nothing, where settings are not trusted; whatever else went wrong is thrown again. */
export function isUntrusted(error: unknown): undefined {
  if (!(error instanceof Problem) || error.code !== "config-untrusted") throw error;
}

/**
 * Where the server here is reached, unless the environment says it: `url` and `port` of the settings. An address in those
 * that are not trusted would get what signs someone in: it is not used, and that is said.
 */
export async function addressOf(here: Here): Promise<string> {
  const env = await here.environment();
  if (env.CHARTER_URL) return env.CHARTER_URL;
  const { url, port } = (await here.settings("where the server is").catch(sayUntrusted)) ?? {};
  return url ?? `http://127.0.0.1:${env.CHARTER_PORT || (port ?? 4747)}`;
}

function sayUntrusted(error: unknown): undefined {
  isUntrusted(error);
  const { code, message, hint } = error as Problem;
  process.stderr.write(`notice: ${code}: ${message} ${hint}\n`);
}
