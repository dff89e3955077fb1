import type { Environment } from "../../../delivery/models/provider.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { Config } from "../../../server/config.ts";
import type { NamedSources } from "../../../sources/charter-folder/charter-files.ts";
import { existsSync } from "../../../sources/input-file.ts";
import type { ProjectPlaces } from "../../../sources/trust/trust.ts";
import type { LookedAt, UntrustedFile } from "./settings-file.ts";

const { dirname, join, resolve } = process.getBuiltinModule("node:path");

/**
 * Decision about a directory's settings for one run: `without` ignores them; `named` uses those beside a named configuration;
 * `fingerprint` uses them while the project still has it.
 */
type Said = { readonly without: true } | { readonly named: string } | { readonly fingerprint: string };

/** Options about the directory a command runs in, and where its trust is stored. */
type HereOptions = {
  readonly said?: Said;
  readonly home?: string | undefined;
  readonly config?: string | undefined;
};

/**
 * The directory a command runs in: what was decided about it for this run, and what of it may be read. A command creates one and
 * passes it on. Nothing is read before it is needed.
 */
export type Here = {
  /** Returns the decision about a directory; undefined for any other than this one. */
  readonly saidOf: (directory: string) => Said | undefined;
  /** Returns the directory, and where its trust is stored. */
  readonly places: () => Promise<ProjectPlaces>;
  /** Lists the files here that say where text and keys are sent, and are not trusted as they are. */
  readonly untrusted: () => Promise<readonly UntrustedFile[]>;
  /**
   * Refuses to ask models while a configuration or models here wait for a decision: text could go elsewhere than its author
   * meant. A .env that was never trusted is ignored, with a notice.
   */
  readonly check: () => Promise<void>;
  /**
   * Reads the configuration and the models here; undefined if there are none, or they are ignored for this run. Untrusted ones
   * are a Problem, because a configuration is code that would run. `says` names what is needed of them.
   */
  readonly settings: (says?: string) => Promise<Config | undefined>;
  /** Reads one of those settings, on use. */
  readonly setting: <Name extends keyof typeof settingPurposes>(name: Name) => Promise<Config[Name]>;
  /** Returns the sources that folders may name, as they are configured here. */
  readonly sources: () => Promise<NamedSources>;
  /** Reads the same settings for showing something: untrusted ones count as empty. */
  readonly trustedSettings: () => Promise<Config>;
  /**
   * Returns the environment for commands: this process's, over a trusted .env. It is not put into `process.env`, so that no child
   * process inherits it.
   */
  readonly environment: () => Promise<Environment>;
  /** Returns the environment for asking a model, after `check`. */
  readonly environmentForModels: () => Promise<Environment>;
};

const settingPurposes = {
  keys: "where keys are",
  acp: "how agents are started",
  mcp: "how MCP servers are reached",
  charters: "which charters there are",
  sources: "what charters' sources are",
} as const;

export function createHere({ said, home, config }: HereOptions = {}): Here {
  const root = resolve(".");
  const { without, named, fingerprint } = (said ?? {}) as Partial<Record<"without" | "named" | "fingerprint", string>>;
  const files = () => import("./settings-file.ts");
  const places = async () => (await import("../directory.ts")).placesOf({ home, config });
  // The result is cached only if all are trusted, until one of the files changes; contents are compared again when they are read.
  let cached: { readonly names: string; readonly stamps: string; readonly looked: readonly LookedAt[] } | undefined;
  let noticed: string | undefined;
  let read: { readonly text: string; readonly env: Environment } | undefined;

  const lookAround = async (): Promise<readonly LookedAt[]> => {
    const { lookAt, settingsHere, stampsOf } = await files();
    const names = settingsHere();
    if (names.length === 0) return [];
    if (cached?.names === names.join() && cached.stamps === stampsOf(cached.looked)) return cached.looked;
    const settingsFiles = lookAt(names, await places(), fingerprint);
    const isWhole = settingsFiles.every(({ trust }) => trust === "trusted");
    cached = isWhole ? { names: names.join(), stamps: stampsOf(settingsFiles), looked: settingsFiles } : undefined;
    return settingsFiles;
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
    const settingsFiles = without ? [] : (await lookAround()).filter(({ file }) => file !== ".env");
    if (settingsFiles.length === 0) return undefined;
    const waiting = settingsFiles.filter((one): one is LookedAt & UntrustedFile => one.trust !== "trusted");
    if (waiting.length > 0) throw untrustedProblem(waiting, says);
    return readSettings(undefined, new Map(settingsFiles.flatMap((one) => [...one.files])));
  };
  const environmentText = async () => {
    const path = named === undefined ? ".env" : join(dirname(named), ".env");
    if (without || !existsSync(path)) return undefined;
    const { readEnvironment } = await files();
    if (named !== undefined) return readEnvironment(path);
    const envFile = (await lookAround()).find(({ file }) => file === ".env");
    return envFile?.trust === "trusted" ? readEnvironment(path, envFile.files) : undefined;
  };
  const environment = async () => {
    const text = await environmentText();
    if (text === undefined) return process.env;
    const { environmentOver } = await import("../../../sources/core-memory/key-source.ts");
    if (read?.text !== text)
      read = { text, env: environmentOver(process.getBuiltinModule("node:util").parseEnv(text)) };
    return read.env;
  };
  const setting = async <Name extends keyof typeof settingPurposes>(name: Name): Promise<Config[Name]> =>
    ((await settings(settingPurposes[name])) ?? ({} as Config))[name];
  let prepared: Promise<() => Promise<NamedSources>> | undefined;
  const namedSources = async () => {
    const [{ createNamedSources }, { createMcpConnections }] = await Promise.all([
      import("../../../host/named-source.ts"),
      import("../../../host/agent-mcp.ts"),
    ]);
    const { read } = createMcpConnections({ mcp: () => setting("mcp"), env: environment });
    const reading: typeof read = (...asked) => {
      // A connection stays open for the next reading. The command ends all the same.
      Reflect.set(globalThis, Symbol.for("charter-connection"), true);
      return read(...asked);
    };
    return createNamedSources(() => setting("sources"), reading);
  };
  return {
    saidOf: (directory) => (directory === root ? said : undefined),
    places,
    untrusted,
    check,
    settings,
    setting,
    sources: async () => {
      prepared ??= namedSources();
      return (await prepared)();
    },
    trustedSettings: async () => (await settings().catch(isUntrusted)) ?? {},
    environment,
    environmentForModels: async () => {
      await check();
      return environment();
    },
  };
}

/** Returns undefined if settings are not trusted; throws any other error again. */
export function isUntrusted(error: unknown): undefined {
  if (!(error instanceof Problem) || error.code !== "config-untrusted") throw error;
}

/**
 * Address of the server here: by the environment, else `url` and `port` of the settings. Untrusted settings are ignored, with a
 * notice, because their address would receive sign-in codes.
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
