import type { Declaration } from "../../../agent/declaration.ts";
import { factsOf } from "../../../charters/facts.ts";
import { agentCharter, isCharterFile, isFoundByName, readLock } from "../../../host/load.ts";
import type { DirectoryValues } from "../../../operations/common-fields.ts";
import { oneLine } from "../../../operations/print/columns.ts";
import { Problem } from "../../../prompt/problem.ts";
import { existsSync } from "../../../sources/input-file.ts";
import type { AgentRecord } from "../../../store/agents.ts";
import type { Store } from "../../../store/store.ts";
import { defaultDatabase, withStore } from "../store.ts";
import type { Here } from "./here.ts";

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
  const [{ placesOf }, { trustedFiles }, { whyUntrusted }] = await Promise.all([
    import("../directory.ts"),
    import("../../../sources/trust/trust.ts"),
    import("./settings-file.ts"),
  ]);
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
