import type { Declaration } from "../../../agent/declaration.ts";
import { factsOf } from "../../../charters/facts.ts";
import { agentCharter, isCharterFile, isFoundByName, readLock } from "../../../host/load.ts";
import type { DirectoryValues } from "../../../operations/field.ts";
import { colours, oneLine } from "../../../operations/print/columns.ts";
import { wrapText } from "../../../operations/print/plain-text.ts";
import { Problem } from "../../../prompt/problem.ts";
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

/** A database that lies in the directory may have come with it; one that lies elsewhere is the user's own. */
function liesHere({ home }: Store): boolean {
  return !home.place.includes("://") && resolve(home.place) === resolve(defaultDatabase);
}

/** What a database in the directory says of an agent speaks for the operator: that needs a project that is trusted. */
async function isBelieved(store: Store, values: DirectoryValues): Promise<boolean> {
  if (!liesHere(store)) return true;
  const { isTrusted, placesOf } = await import("../directory.ts");
  const { cwd: _, ...others } = values;
  return isTrusted(values, placesOf(others));
}

type Named = Pick<AgentRecord, "name" | "charter">;

/** Nothing where a charter's file may be run. `place` is where the word of it lies. */
async function whyNotRun(charter: string, place: string): Promise<string | undefined> {
  const [{ placesOf }, { whyUntrusted }] = await Promise.all([import("../directory.ts"), import("./settings-file.ts")]);
  const [looked] = trustedFiles([charter], placesOf({}));
  return looked?.trust === "trusted" ? undefined : `is code, and ${whyUntrusted(looked ?? untrusted, place)}`;
}

const untrusted = { trust: "untrusted", changed: [] } as const;

/** Why a charter's file is not run, and what to do about it. It must be trusted where its database lies in the project. */
export async function untrustedCharter(store: Store, { name, charter }: Named): Promise<Problem | undefined> {
  if (!isCharterFile(charter) || !liesHere(store)) return undefined;
  const because = await whyNotRun(charter, "the project its database lies in");
  if (because === undefined) return undefined;
  return new Problem(
    "charter-untrusted",
    `“${name}” has the charter ${charter}, which ${because}.`,
    "Look at the file, then say charter trust; or keep the database elsewhere, with --database.",
  );
}

/** A lock file may have come with the directory, and so may the charter that it names. */
export async function checkLocked(charter: string): Promise<void> {
  const because = await whyNotRun(charter, "the directory");
  if (because === undefined) return;
  throw new Problem(
    "charter-untrusted",
    `The lock file names the charter ${oneLine(charter)}, which ${because}.`,
    `Look at the file, then say charter trust; or name it: --charter ${oneLine(charter)}.`,
  );
}

/** A charter's file is run when it is loaded. */
export async function checkCharterFile(store: Store, agent: Named): Promise<void> {
  const problem = await untrustedCharter(store, agent);
  if (problem) throw problem;
}

/**
 * The charters' files that commands run for the agents here: those that the directory's own database and lock file
 * name. Nothing, where the database cannot be read.
 */
export async function charterFilesIn(cwd: string): Promise<string[] | undefined> {
  const database = join(cwd, defaultDatabase);
  const own = lockedIn(cwd);
  if (!existsSync(database)) return own;
  try {
    const agents = await withStore({ database }, (store) => store.agents.list());
    return [...new Set([...agents.map(({ charter }) => charter).filter(isCharterFile), ...own])];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
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
    if (!(error instanceof Problem)) throw error;
    return [];
  }
}

type BelievedValues = DirectoryValues & { readonly here: Here; readonly charter?: string | undefined };
type Believed = { readonly agent: AgentRecord; readonly declaration: Declaration };

/**
 * An agent and what it is declared as. One that works in a directory is as nobody set it up, where its settings cannot
 * be believed. A charter's file is run for that: it was named just now, or is trusted.
 */
export async function trustedAgent(agent: AgentRecord, store: Store, values: BelievedValues): Promise<Believed> {
  if (values.charter !== agent.charter) await checkCharterFile(store, agent);
  const { charters } = isFoundByName(agent.charter) ? {} : await values.here.trustedSettings();
  const { given } = await agentCharter(agent, { store, charters });
  const declaredBy = (settings: object) => given(factsOf({ ...settings, agent: agent.name }), () => new Date());
  const declaration = await declaredBy(agent.settings);
  const isSetUp = Object.keys(agent.settings).length > 0;
  if (!declaration.withFiles || !isSetUp || (await isBelieved(store, values))) return { agent, declaration };
  process.stderr.write(
    `notice: settings-untrusted: The settings of “${oneLine(agent.name)}” are not used: its database lies in a project that is not trusted (charter trust).\n`,
  );
  return { agent: { ...agent, settings: {} }, declaration: await declaredBy({}) };
}

/** What was said on the command line about what the directory brings. */
export type SettingsValues = {
  readonly trust?: boolean | undefined;
  /** A configuration file that was named: it and the settings beside it are the person's own word. */
  readonly settings?: string | undefined;
  /** Where it is kept what is trusted. */
  readonly places?: { readonly home?: string | undefined; readonly config?: string | undefined };
};

/**
 * Before a command asks models or opens a database: may the files here say where words and keys go? Somebody at a
 * terminal is asked, once; yes is remembered. Where nobody can be asked, one that is not trusted is a Problem.
 */
export async function askedHere(values: SettingsValues, mayAsk: boolean): Promise<Here> {
  const { settings, places: { home, config } = {} } = values;
  const kept = { home, config };
  if (settings !== undefined) return createHere({ ...kept, said: { named: settings } });
  if (values.trust === false) return createHere({ ...kept, said: { without: true } });
  const here = createHere(kept);
  if ((await here.untrusted()).length === 0) return here;
  const places = await here.places();
  const said = { fingerprint: projectFingerprint(places) };
  if (values.trust) return createHere({ ...kept, said });
  if (!mayAsk) {
    await here.check();
    return here;
  }
  const charters = await charterFilesIn(places.cwd);
  const answer = await askTrust({ ...places, ...(charters ? { charters } : {}) }, askFirst);
  if (answer === "once") return createHere({ ...kept, said });
  if (answer === "yes") return here;
  process.stdout.write("It goes on without them.\n");
  return createHere({ ...kept, said: { without: true } });
}

/** Somebody is there to answer a question. */
export function mayAskHere({ json }: { readonly json?: boolean | undefined } = {}): boolean {
  return Boolean(process.stdin.isTTY && process.stdout.isTTY && !json);
}

/** Shows the lines, then asks; nothing when nobody answered. */
export type AskBelow = (lines: readonly string[], question: string) => Promise<string | undefined>;

/**
 * Asks whoever sits at the terminal, once: yes is remembered, everything else is no. What changes during the question
 * is not trusted; neither is what changes after “only this time”.
 */
export async function askTrust(places: TrustOptions, ask: AskBelow): Promise<"yes" | "no" | "once"> {
  const { trust, gated, changed, root, settings } = projectTrust(places);
  const differ = [...changed, ...settings.flatMap((one) => one.changed)];
  const isTrusted = trust === "trusted" && settings.every((one) => one.trust === "trusted");
  if (isTrusted || gated.length === 0) return "yes";
  const shown = projectFingerprint(places);
  const paint = colours(process.stdout);
  const because =
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
    ...fitted(`${paint.bold(oneLine(root))} brings words, settings or code of its own. ${because}`),
    ...gated.map((path) => `  ${oneLine(path)}`),
    ...fitted(risk).map(paint.dim),
  ];
  const answer = ((await ask(lines, "Trust it? [y]es, [o]nly this time, [N]o: ")) ?? "").trim();
  if (/^o(?:nly this time|nce)?$/i.test(answer)) return "once";
  if (!/^y(?:es)?$/i.test(answer)) return "no";
  if (projectFingerprint(places) === shown) {
    trustProject(places, new Date().toISOString());
    return "yes";
  }
  process.stdout.write("It changed while you were asked: it is not trusted. Look again.\n");
  return "no";
}

function fitted(text: string): string[] {
  return wrapText(text, process.stdout.columns ?? Number.POSITIVE_INFINITY);
}

/** Where no conversation has begun yet. */
export async function askFirst(lines: readonly string[], question: string): Promise<string | undefined> {
  process.stdout.write(`${lines.join("\n")}\n`);
  return askOnce(question);
}

/** One question at a terminal that nobody reads from otherwise; nothing when they left, or no answer is wanted any more. */
export async function askOnce(question: string, signal?: AbortSignal): Promise<string | undefined> {
  const { createInterface } = process.getBuiltinModule("node:readline/promises");
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const left = new Promise<undefined>((resolve) => asking.once("close", () => resolve(undefined)));
  const close = () => asking.close();
  signal?.addEventListener("abort", close, { once: true });
  // What the question is about is stopped as at any other moment.
  if (signal) asking.once("SIGINT", () => process.emit("SIGINT"));
  const answer = await Promise.race([asking.question(question), left]);
  signal?.removeEventListener("abort", close);
  asking.close();
  // Whoever left the question left the cursor behind it.
  if (answer === undefined) process.stdout.write("\n");
  return answer;
}
