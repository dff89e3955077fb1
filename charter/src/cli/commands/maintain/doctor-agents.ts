import { factsOf } from "../../../charters/facts.ts";
import { loadCharter } from "../../../host/load.ts";
import { findSection } from "../../../prompt/charter.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { AgentRecord } from "../../../store/agents.ts";
import type { Checkup } from "../../../store/home/database.ts";
import type { Store } from "../../../store/store.ts";
import { checkCharterFile } from "../../shared/trusted-database.ts";

/** So many of an agent's users are looked at; `charter verify` looks at all. */
const maxUsers = 500;
/** A list that long is not counted to its end. */
const maxRows = 1000;

/** What is in a store, agent by agent: words that are not used, and whoever waits. */
export async function checkAgents(store: Store): Promise<Checkup[]> {
  const agents = await store.agents.list();
  if (agents.length === 0) return [{ what: "No agent yet: `charter agents add` makes one.", fine: true }];
  const standing: Checkup[] = [];
  for (const agent of agents) standing.push(...(await checkStanding(store, agent)));
  const words =
    standing.length > 0
      ? standing
      : [{ what: `The current texts of ${counted(agents.length, "agent")} are used.`, fine: true }];
  const frozen = agents.filter((agent) => agent.frozen !== null).map(checkFrozen);
  return [...words, ...frozen, ...(await checkHeld(store)), ...(await checkDead(store, agents))];
}

async function checkStanding(store: Store, { name, charter, settings }: AgentRecord): Promise<Checkup[]> {
  try {
    await checkCharterFile(store, { name, charter });
    const { given: fromFacts } = await loadCharter(charter);
    const given = await fromFacts(factsOf({ ...settings, agent: name }), () => new Date());
    const found: Checkup[] = [];
    const users = await store.standings.users(name, { limit: maxUsers });
    for (const scope of [{ agent: name }, ...users.map((user) => ({ agent: name, user }))]) {
      const standing = await store.standings.read(given.charter, scope, given.fault);
      // With a user come the agent's own sections, which were looked at already.
      const own = Object.entries(standing).filter(
        ([section]) => (findSection(given.charter, section).section.scope === "user") === "user" in scope,
      );
      const notices = own.flatMap(([, one]) => ("notices" in one ? (one.notices ?? []) : []));
      const whose = "user" in scope ? `“${name}”, for “${scope.user}”` : `“${name}”`;
      const hint = `charter history --agent ${name}${"user" in scope ? ` --user ${scope.user}` : ""} <section>, then revert or amend it; charter verify names what was changed.`;
      for (const { message } of notices) found.push({ what: `${whose}: ${message}`, fine: false, hint });
    }
    return found;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return [{ what: `“${name}” cannot be used: ${error.message}`, fine: false, hint: error.hint }];
  }
}

function checkFrozen({ name, frozen }: AgentRecord): Checkup {
  const what = frozen === "agent" ? `“${name}” is frozen.` : `All amendments of “${name}” are frozen.`;
  return { what, fine: false, hint: `Undo it with \`charter thaw ${name}\`.` };
}

async function checkHeld(store: Store): Promise<Checkup[]> {
  const [held, calls] = [await store.held.list({ limit: maxRows }), await store.calls.list({ limit: maxRows })];
  const waiting = (rows: readonly { readonly at: string }[], word: string): Checkup[] => {
    if (rows.length === 0) return [];
    const what = `${counted(rows.length, word)} ${rows.length === 1 ? "waits" : "wait"} for a person, since ${rows[0]?.at.slice(0, 10)}.`;
    return [{ what, fine: false, hint: "See them with `charter approvals`, and approve or reject each." }];
  };
  return [...waiting(held, "proposal"), ...waiting(calls, "tool call")];
}

async function checkDead(store: Store, agents: readonly AgentRecord[]): Promise<Checkup[]> {
  const found: Checkup[] = [];
  for (const { name } of agents) {
    const dead = await store.inbox.list(name, "dead", { limit: maxRows });
    if (dead.length === 0) continue;
    const [first] = dead;
    const because = first?.failures.at(-1)?.because ?? "unknown reason";
    const what = `${counted(dead.length, "message")} to “${name}” could not be answered, the first “${first?.id}”: ${because}.`;
    const hint = `Fix the cause, then \`charter inbox retry ${name} <id>\`; or \`charter inbox discard ${name} <id>\`.`;
    found.push({ what, fine: false, hint });
  }
  return found;
}

function counted(number: number, word: string): string {
  return `${number >= maxRows ? `${maxRows} or more` : number} ${word}${number === 1 ? "" : "s"}`;
}
