import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { listed, Problem, reasonOf } from "../../prompt/problem.ts";
import type { Sha256 } from "../../prompt/prompt.ts";
import type { Model, ModelRequest, ModelResult, PrepareResult, RequestSession } from "../model.ts";
import { receiverOf } from "../receiver.ts";
import { findProgram, type StartProgram, withinLimit } from "./agent-process.ts";
import { askAgent, type Conversations, forget, sha256, startFault, validAt } from "./ask-agent.ts";
import { closeConversation, createSeenFiles } from "./conversation.ts";
import { type AcpEntry, usualSizeLimit } from "./entry.ts";
import { openPeer, type Peer } from "./peer.ts";
import { createProcessPool } from "./process-pool.ts";

/** Options of `createAcpAgents`. */
export type AcpAgentsOptions = {
  /** The agents, by the names that models give them: `acp/<name>`. */
  readonly entries: Readonly<Record<string, AcpEntry>>;
  /** Directory in which agents get directories of their own, one for each agent and user. */
  readonly home: string;
  /** Files of ours, such as the database, keys and the configuration: none may be below an agent's directory. */
  readonly ours?: readonly string[];
  /** Environment of which only PATH is used. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock?: () => Date;
  readonly random?: () => number;
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Starts a program; by default as a process of its own. */
  readonly start?: StartProgram;
  /** Time limits of an agent: 30 seconds to start, 60 to open a session, and 5 to stop by default. */
  readonly limits?: Partial<AcpLimits>;
};

/** Time limits of an agent, in milliseconds: to start, to open a session, and to stop. */
type AcpLimits = { readonly initializeMs: number; readonly sessionMs: number; readonly graceMs: number };

/** The agents that are reached over ACP, each as a model. Their processes run until they are idle for long, or closed. */
export type AcpAgents = {
  /** Returns `acp/<name>` as a model. A name without an entry is a Problem. Starts nothing. */
  readonly model: (name: string) => Model;
  /** Ends the processes that work in these directories. */
  readonly endIn: (directories: readonly string[]) => Promise<void>;
  /** Ends all processes, with their children. */
  readonly close: () => Promise<void>;
};

const usualLimits: AcpLimits = { initializeMs: 30_000, sessionMs: 60_000, graceMs: 5000 };

/** Makes models of agents that are reached over ACP. Nothing is started before one is asked. */
export function createAcpAgents(options: AcpAgentsOptions): AcpAgents {
  const { entries, home, ours = [], env, clock = () => new Date(), random = Math.random, sleep = usualSleep } = options;
  const limits = { ...usualLimits, ...options.limits };
  const pool = createProcessPool({ now: () => clock().getTime(), random, sleep });
  const conversations: Conversations = new Map();
  const busy = new Map<string, { readonly signal: AbortSignal; readonly over: Promise<void> }>();
  const directories = new Map<string, string | undefined>();

  const agentAt = (name: string, entry: AcpEntry, place: AgentPlace) => {
    const own = join(home, safeName(name, sha256), placeName(place, sha256));
    const isAtCwd = place.operator && entry.cwd !== undefined;
    const directory = resolve(isAtCwd ? entry.cwd : own);
    const key = keyOf(name, own, isAtCwd);
    const open = async (signal: AbortSignal) => {
      try {
        if (directory === resolve(own)) makeDirectory(directory);
        checkDirectory(name, directory, ours);
        directories.set(key, directoryId(directory));
      } catch (error) {
        return {
          failure: { why: `has no directory to work in: ${reasonOf(error)}`, tail: "", lasting: true as const },
        };
      }
      if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
        const why = `has no directory to work in: there is none at “${directory}”, its \`cwd\``;
        return { failure: { why, tail: "", lasting: true as const } };
      }
      const PATH = entry.env?.PATH ?? env.PATH;
      const given = { ...(PATH === undefined ? {} : { PATH }), ...entry.env };
      const [program = ""] = entry.command;
      // Windows finds programs under other names too, so there the system is asked.
      if (process.platform !== "win32" && findProgram(program, PATH, directory) === undefined) {
        const where = program.includes("/") ? "" : " on its PATH";
        const why = `could not be started: there is no program “${program}”${where}`;
        return { failure: { why, tail: "", lasting: true as const } };
      }
      return await openPeer({
        command: entry.command,
        env: given,
        directory,
        start: options.start,
        authenticate: entry.authenticate,
        initializeMs: limits.initializeMs,
        signal,
      });
    };
    /**
     * Uses the process of a place. A process whose directory was removed, because its user was erased, is ended first: it still
     * knows erased text.
     */
    const use = async <Result>(signal: AbortSignal, work: (peer: Peer) => Promise<Result>) => {
      if (directories.has(key) && directories.get(key) !== directoryId(directory)) await pool.end(key);
      return await pool.use(key, open, signal, work);
    };
    return { key, directory, use };
  };

  const model = (name: string): Model => {
    const entry = entryOf(entries, name);
    if (entry.cwd !== undefined) checkDirectory(name, entry.cwd, ours);
    checkDirectory(name, join(home, safeName(name, sha256)), ours);
    const source = { name: `acp/${name}`, secrets: secretsOf(entry) };
    const seenFiles = createSeenFiles(join(home, safeName(name, sha256), "seen"), sha256);
    const receiver = receiverOf(`acp/${name}`, {
      maxBytes: entry.sizeLimit ?? usualSizeLimit,
      ...(entry.tools === false ? { takesTools: false as const } : {}),
    });

    /** Waits for a stopped request to be over, and returns true if the conversation is free. */
    const isFree = async (id: string, signal: AbortSignal): Promise<boolean> => {
      const before = busy.get(id);
      if (before?.signal.aborted) await withinLimit(before.over, { signal });
      return !busy.has(id);
    };

    const prepare: Model["prepare"] = async (session, { signal }): Promise<PrepareResult> => {
      await isFree(session.id, signal);
      const { use } = agentAt(name, entry, session);
      const used = await use(signal, async (peer) => ({
        slot: peer.advertised.slot,
        fresh: validAt(conversations.get(session.id), peer) === undefined,
      }));
      return used.kind === "worked" ? { prepared: used.result } : { fault: startFault(used, source) };
    };

    const ask: Model["ask"] = async (request: ModelRequest, asking): Promise<ModelResult> => {
      const session: Omit<RequestSession, "history"> = request.session ?? alone();
      if (!(await isFree(session.id, asking.signal))) {
        const message = `“${source.name}” is still at work in this conversation.`;
        return { fault: { code: "model-busy", message, retry: true } };
      }
      const { promise: over, resolve: end } = Promise.withResolvers<void>();
      busy.set(session.id, { signal: asking.signal, over });
      try {
        const { key, directory, use } = agentAt(name, entry, session);
        const used = await use(asking.signal, async (peer) => {
          const result = await askAgent({
            entry,
            source,
            peer,
            directory,
            conversations,
            seenFiles,
            request,
            session,
            asking,
            limits,
          });
          if (result.answer) pool.worked(key);
          return result;
        });
        return used.kind === "worked" ? used.result : { fault: startFault(used, source) };
      } finally {
        busy.delete(session.id);
        end();
        if (request.session === undefined) await forget({ conversations, seenFiles }, session.id);
      }
    };
    return { receiver, prepare, ask };
  };

  return {
    model,
    endIn: async (ended) => {
      const keys = Object.keys(entries).flatMap((name) =>
        ended.flatMap((own) => [keyOf(name, own, false), keyOf(name, own, true)]),
      );
      await Promise.all(keys.map(pool.end));
    },
    close: async () => {
      await pool.close();
      const all = [...conversations.values()];
      conversations.clear();
      await Promise.all(all.map(closeConversation));
    },
  };
}

/** Key of a place's process: it works in the place's own directory, or in the one that its entry names. */
function keyOf(name: string, own: string, isAtCwd: boolean): string {
  return JSON.stringify([name, own, isAtCwd]);
}

/** Makes the session of a request without a conversation: it belongs to nobody, and leaves nothing behind. */
function alone(): Omit<RequestSession, "history"> {
  return { id: `alone-${crypto.randomUUID()}`, agent: "", operator: false };
}

function entryOf(entries: AcpAgentsOptions["entries"], name: string): AcpEntry {
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
  if (entry !== undefined) return entry;
  throw new Problem(
    "unknown-model",
    `There is no agent “${name}” for the model “acp/${name}”. Configured: ${listed(Object.keys(entries))}.`,
    `Add it to charter.config.ts: acp: { ${JSON.stringify(name)}: { command: ["program", "argument"] } }.`,
  );
}

/** Lists values that may be keys, so that no message repeats them. */
function secretsOf({ env = {} }: AcpEntry): string[] {
  return Object.entries(env)
    .filter(([variable, value]) => variable !== "PATH" && value.length >= 8)
    .map(([, value]) => value);
}

async function usualSleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal, ref: false });
}

/** Owner of a process: two agents or two users never share one. */
export type AgentPlace = Pick<RequestSession, "agent" | "user" | "operator">;

/** Names a place as a part of a path. The digest separates two names that some file systems take for the same. */
export function placeName({ agent, user, operator }: AgentPlace, sha256: Sha256): string {
  const owner = user !== undefined ? `user-${safeName(user, sha256)}` : operator ? "operator" : "nobody";
  return join(safeName(agent, sha256), owner);
}

export function safeName(name: string, sha256: Sha256): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40);
  return `${plain.replace(/^-|-$/g, "") || "x"}-${sha256(name).slice(0, 12)}`;
}

/** Makes a directory that only this account can read, with its parents. */
function makeDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Rejects a directory that contains a file of ours: an agent's tools can read everything in its directory. */
export function checkDirectory(name: string, directory: string, ours: readonly string[]): void {
  const real = realPath(directory);
  const inside = ours.find((path) => isWithin(realPath(path), real));
  if (inside === undefined) return;
  throw new Problem(
    "acp-directory",
    `The directory of “acp/${name}”, ${directory}, holds ${inside}, which its tools could read.`,
    `Give acp.${name} another \`cwd\`, or keep that file elsewhere.`,
  );
}

function isWithin(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Resolves a path, following links as far as it exists. */
function realPath(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch {
    const above = dirname(whole);
    return above === whole ? whole : join(realPath(above), basename(whole));
  }
}

/** A user, with all agents or with one. */
type UserSelector = { readonly user: string; readonly agent?: string | undefined };

/** Finds the directories that agents over ACP have for a user, whether they are still configured or not. */
export function findUserDirectories(home: string, { user, agent }: UserSelector, sha256: Sha256): string[] {
  const [ofAgent = "", ofUser = ""] = placeName({ agent: agent ?? "", user, operator: false }, sha256).split(/[\\/]/);
  return foldersIn(home).flatMap((program) => {
    const agents = foldersIn(join(home, program)).filter((one) => agent === undefined || one === ofAgent);
    return agents.map((one) => join(home, program, one, ofUser)).filter(isFolder);
  });
}

/** Removes such a directory with everything in it. Links are removed, not their targets. */
export function removeDirectory(path: string): void {
  try {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Some tools leave folders that nobody may write to.
      unlock(path);
      rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    }
  } catch (error) {
    throw new Problem(
      "acp-directory",
      `The directory ${path} of an agent over ACP could not be removed: ${reasonOf(error)}`,
      "All else is erased. Remove it by hand, or run charter erase again.",
    );
  }
}

/** Identifies a directory: one that was removed and made again is another. Undefined where there is none. */
export function directoryId(path: string): string | undefined {
  try {
    const { ino, birthtimeMs } = lstatSync(path);
    return `${ino} ${birthtimeMs}`;
  } catch {
    return undefined;
  }
}

function unlock(path: string): void {
  if (!isFolder(path)) return;
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) unlock(join(path, name));
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path).filter((name) => isFolder(join(path, name)));
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
