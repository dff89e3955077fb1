import type { Declaration } from "../../../agent/declaration.ts";
import { factsOf } from "../../../charters/facts.ts";
import { agentCharter, isCharterFolder, isCharterPath, isFoundByName, readLock } from "../../../host/load.ts";
import type { DirectoryValues } from "../../../operations/field.ts";
import { colours, oneLine } from "../../../operations/print/columns.ts";
import { wrapText } from "../../../operations/print/plain-text.ts";
import { Problem, rethrowUnlessProblem } from "../../../prompt/problem.ts";
import { existsSync } from "../../../sources/input-file.ts";
import {
  projectFingerprint,
  projectTrust,
  type TrustOptions,
  trustedFiles,
  trustProject,
} from "../../../sources/trust/trust.ts";
import type { AgentRecord } from "../../../store/agents.ts";
import type { Store } from "../../../store/store.ts";
import { defaultDatabase, withStore } from "../store.ts";
import { createHere, type Here } from "./here.ts";

const { join, resolve } = process.getBuiltinModule("node:path");

/** Checks whether the database is in the directory and so may have come with it; others are the user's own. */
function liesHere({ home }: Store): boolean {
  return !home.place.includes("://") && resolve(home.place) === resolve(defaultDatabase);
}

/**
 * Checks whether a database's settings of an agent count. Those in the directory speak for the operator, so the project has to be
 * trusted.
 */
async function isBelieved(store: Store, values: DirectoryValues): Promise<boolean> {
  if (!liesHere(store)) return true;
  const { isTrusted, placesOf } = await import("../directory.ts");
  const { cwd: _, ...others } = values;
  return isTrusted(values, placesOf(others));
}

type Named = Pick<AgentRecord, "name" | "charter">;

/** Reason why a charter's file or folder may not be used; undefined if it may. `place` is where it is named. */
async function whyNotRun(charter: string, place: string): Promise<string | undefined> {
  const [{ placesOf }, { whyUntrusted }] = await Promise.all([import("../directory.ts"), import("./settings-file.ts")]);
  const [looked] = trustedFiles([charter], placesOf({}));
  if (looked?.trust === "trusted") return undefined;
  const what = isCharterFolder(charter) ? "speaks for the operator" : "is code";
  return `${what}, and ${whyUntrusted(looked ?? untrusted, place)}`;
}

const untrusted = { trust: "untrusted", changed: [] } as const;

/** Problem for a charter's file or folder that is not used. It has to be trusted if its database is in the project. */
export async function untrustedCharter(store: Store, { name, charter }: Named): Promise<Problem | undefined> {
  if (!isCharterPath(charter) || !liesHere(store)) return undefined;
  const reason = await whyNotRun(charter, "the project its database lies in");
  if (reason === undefined) return undefined;
  return new Problem(
    "charter-untrusted",
    `“${name}” has the charter ${charter}, which ${reason}.`,
    `Look at the ${isCharterFolder(charter) ? "folder" : "file"}, then say charter trust; or keep the database elsewhere, with --database.`,
  );
}

/**
 * Refuses an untrusted charter's file that a lock names: both may have come with the directory. A folder is data, and nothing of it
 * is said to a model where locked charters are compared.
 */
export async function checkLocked(charter: string): Promise<void> {
  const reason = isCharterFolder(charter) ? undefined : await whyNotRun(charter, "the directory");
  if (reason === undefined) return;
  throw new Problem(
    "charter-untrusted",
    `The lock file names the charter ${oneLine(charter)}, which ${reason}.`,
    `Look at the file, then type charter trust; or name it after the command: --charter ${oneLine(charter)}.`,
  );
}

/** Refuses an untrusted charter's file before it is loaded, which runs it. */
export async function checkCharterFile(store: Store, agent: Named): Promise<void> {
  const problem = await untrustedCharter(store, agent);
  if (problem) throw problem;
}

/**
 * Lists the charter files that commands run here: those that the directory's own database and lock file name. Undefined if the
 * database cannot be read.
 */
export async function charterFilesIn(cwd: string): Promise<string[] | undefined> {
  const database = join(cwd, defaultDatabase);
  const own = lockedIn(cwd);
  if (!existsSync(database)) return own;
  try {
    const agents = await withStore({ database }, (store) => store.agents.list());
    return [...new Set([...agents.map(({ charter }) => charter).filter(isCharterPath), ...own])];
  } catch (error) {
    rethrowUnlessProblem(error);
    process.stderr.write(
      `notice: ${error.code}: ${oneLine(error.message)} Charter files that it names are left as they were.\n`,
    );
    return undefined;
  }
}

function lockedIn(cwd: string): string[] {
  const path = join(cwd, "charter.lock");
  if (!existsSync(path)) return [];
  try {
    return Object.values(readLock(path).files ?? {});
  } catch (error) {
    rethrowUnlessProblem(error);
    return [];
  }
}

type BelievedValues = DirectoryValues & { readonly here: Here; readonly charter?: string | undefined };
type Believed = { readonly agent: AgentRecord; readonly declaration: Declaration };

/**
 * Declares an agent. If its settings are not trusted, one that works in a directory gets none. This runs a charter's file, which
 * was named just now, or is trusted.
 */
export async function trustedAgent(agent: AgentRecord, store: Store, values: BelievedValues): Promise<Believed> {
  if (values.charter !== agent.charter) await checkCharterFile(store, agent);
  const { charters } = isFoundByName(agent.charter) ? {} : await values.here.trustedSettings();
  const { given } = await agentCharter(agent, { store, charters, sources: values.here.sources });
  const declaredBy = (settings: object) => given(factsOf({ ...settings, agent: agent.name }), () => new Date());
  const declaration = await declaredBy(agent.settings);
  const isSetUp = Object.keys(agent.settings).length > 0;
  if (!declaration.withFiles || !isSetUp || (await isBelieved(store, values))) return { agent, declaration };
  process.stderr.write(
    `notice: settings-untrusted: The settings of “${oneLine(agent.name)}” are not used: its database lies in a project that is not trusted (charter trust).\n`,
  );
  return { agent: { ...agent, settings: {} }, declaration: await declaredBy({}) };
}

/** Options about the settings a directory brings. */
export type SettingsValues = {
  readonly trust?: boolean | undefined;
  /** Named configuration file; it and the settings beside it count as trusted. */
  readonly settings?: string | undefined;
  /** Place where trust is stored. */
  readonly places?: { readonly home?: string | undefined; readonly config?: string | undefined };
};

/**
 * Decides, before models are asked or a database is opened, whether the settings files here may be used. A person at the terminal
 * is asked, once, and a yes is stored. If nobody can be asked, an untrusted file is a Problem.
 */
export async function askedHere(values: SettingsValues, mayAsk: boolean): Promise<Here> {
  const { settings, places: { home, config } = {} } = values;
  const trustPlace = { home, config };
  if (settings !== undefined) return createHere({ ...trustPlace, said: { named: settings } });
  if (values.trust === false) return createHere({ ...trustPlace, said: { without: true } });
  const here = createHere(trustPlace);
  if ((await here.untrusted()).length === 0) return here;
  const places = await here.places();
  const decision = { fingerprint: projectFingerprint(places) };
  if (values.trust) return createHere({ ...trustPlace, said: decision });
  if (!mayAsk) {
    await here.check();
    return here;
  }
  const charters = await charterFilesIn(places.cwd);
  const answer = await askTrust({ ...places, ...(charters ? { charters } : {}) }, askFirst);
  if (answer === "once") return createHere({ ...trustPlace, said: decision });
  if (answer === "yes") return here;
  process.stdout.write("It goes on without them.\n");
  return createHere({ ...trustPlace, said: { without: true } });
}

/** Checks whether a person can answer a question. */
export function mayAskHere({ json }: { readonly json?: boolean | undefined } = {}): boolean {
  return Boolean(process.stdin.isTTY && process.stdout.isTTY && !json);
}

/** Shows the lines, then asks; undefined if nobody answered. */
export type AskBelow = (lines: readonly string[], question: string) => Promise<string | undefined>;

/**
 * Asks the person at the terminal for trust, once: a yes is stored, anything else is a no. Changes during the question are not
 * trusted; neither are those after “only this time”.
 */
export async function askTrust(places: TrustOptions, ask: AskBelow): Promise<"yes" | "no" | "once"> {
  const { trust, gated, changed, root, settings } = projectTrust(places);
  const differ = [...changed, ...settings.flatMap((one) => one.changed)];
  const isTrusted = trust === "trusted" && settings.every((one) => one.trust === "trusted");
  if (isTrusted || gated.length === 0) return "yes";
  const fingerprint = projectFingerprint(places);
  const paint = colours(process.stdout);
  const reason =
    differ.length > 0
      ? `Changed since you trusted it: ${differ.map(oneLine).join(", ")}.`
      : trust === "trusted"
        ? "There are files you have not trusted yet."
        : "You have not trusted it yet.";
  const risk = [
    "Extensions, charters and charter.config run as code on this machine; the rest speaks to the model. AGENTS.md and CLAUDE.md are read anyway.",
    ...(settings.length > 0 ? ["Settings say to whom your words and API keys are sent."] : []),
  ].join(" ");
  const lines = [
    ...fitted(`${paint.bold(oneLine(root))} brings words, settings or code of its own. ${reason}`),
    ...gated.map((path) => `  ${oneLine(path)}`),
    ...fitted(risk).map(paint.dim),
  ];
  const answer = ((await ask(lines, "Trust it? [y]es, [o]nly this time, [N]o: ")) ?? "").trim();
  if (/^o(?:nly this time|nce)?$/i.test(answer)) return "once";
  if (!/^y(?:es)?$/i.test(answer)) return "no";
  if (projectFingerprint(places) === fingerprint) {
    trustProject(places, new Date().toISOString());
    return "yes";
  }
  process.stdout.write("It changed while you were asked: it is not trusted. Look again.\n");
  return "no";
}

function fitted(text: string): string[] {
  return wrapText(text, process.stdout.columns ?? Number.POSITIVE_INFINITY);
}

/** Asks before a conversation has begun. */
export async function askFirst(lines: readonly string[], question: string): Promise<string | undefined> {
  process.stdout.write(`${lines.join("\n")}\n`);
  return askOnce(question);
}

/**
 * Asks one question at a terminal that nothing else reads; undefined if the person left, or the answer is not needed any more.
 */
export async function askOnce(question: string, signal?: AbortSignal): Promise<string | undefined> {
  const { createInterface } = process.getBuiltinModule("node:readline/promises");
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise<undefined>((resolve) => asking.once("close", () => resolve(undefined)));
  const close = () => asking.close();
  signal?.addEventListener("abort", close, { once: true });
  // Ctrl-C during the question stops the same as at any other time.
  if (signal) asking.once("SIGINT", () => process.emit("SIGINT"));
  const answer = await Promise.race([asking.question(question), closed]);
  signal?.removeEventListener("abort", close);
  asking.close();
  // The cursor is still behind the question if the person left it.
  if (answer === undefined) process.stdout.write("\n");
  return answer;
}
