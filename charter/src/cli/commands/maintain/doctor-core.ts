import { type CoreReport, coreReport } from "../../../host/core-report.ts";
import type { Host } from "../../../host/host.ts";
import { timeText } from "../../../operations/print/columns.ts";
import { eventTime, relayText } from "../../../operations/print/core-memory.ts";
import { counted, Problem } from "../../../prompt/problem.ts";
import type { Checkup } from "../../../store/home/database.ts";

/** A conflict that is older is history. */
const weekMs = 7 * 86_400_000;

/** Agents with a core memory on relays: what these have, what waits, and what is wrong with a key. */
export async function checkCores(host: Host): Promise<Checkup[]> {
  const agents = (await host.store.agents.list()).filter(({ settings }) => settings.memory);
  const found = await Promise.all(agents.map(({ name }) => checkCore(host, name)));
  return found.flat();
}

async function checkCore(host: Host, agent: string): Promise<Checkup[]> {
  try {
    const memory = await host.coreMemory(agent);
    return memory ? checkups(await coreReport(host.store, agent, memory), host.clock()) : [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return [{ what: `The core memory of “${agent}” cannot be read: ${error.message}`, fine: false, hint: error.hint }];
  }
}

/** What a report comes to, each with what to do about it. */
export function checkups(report: CoreReport, now: Date): Checkup[] {
  const { agent, relays, waiting, conflicts, notices } = report;
  const more = `See \`charter core relays --agent ${agent}\`.`;
  const since = new Date(now.getTime() - weekMs).toISOString();
  const troubled = relays.filter(
    ({ status }) => status !== "newest" && !(report.head === null && status === "nothing"),
  );
  return [
    statusCheckup(report),
    ...troubled.map((one) => ({ what: `The core memory of “${agent}”: ${sentence(relayText(one))}`, hint: more })),
    ...notices.map(({ message }) => ({ what: `“${agent}”: ${message}`, hint: more })),
    ...waiting.map(({ id, at, tries }) => ({
      what: `A change of the core memory of “${agent}” (event ${id}) waits to be published since ${timeText(at)} UTC, after ${counted(tries, "try", "tries")}.`,
      hint: `It is sent again later, or now: \`charter core publish --agent ${agent}\`.`,
    })),
    ...conflicts
      .filter(({ at }) => at > since)
      .map(({ revision, by, at }) => ({
        what: `Another's change (event ${by ?? "unknown"}) replaced revision ${revision} of the core memory of “${agent}”, since ${timeText(at)} UTC.`,
        hint: `Compare both, and set the text you want: \`charter core history --agent ${agent} --words\`.`,
      })),
  ].map((one) => ({ fine: false, ...one }));
}

function statusCheckup({
  agent,
  status,
  reason,
  relays,
  head,
  npub,
}: CoreReport): Omit<Checkup, "fine"> & { fine: boolean } {
  if (status === "unavailable")
    return {
      what: `The core memory of “${agent}” is unavailable: ${sentence(reason ?? "")}`,
      fine: false,
      hint: "Its prompt goes without, and every turn asks again: docs/resident.md#present-empty-or-unavailable.",
    };
  const have = relays.filter((relay) => relay.status === "newest").length;
  const where = `on ${have} of ${counted(relays.length, "relay")}`;
  const what = head
    ? `The core memory of “${agent}” (${npub}) is ${where}: event ${head.id} of ${eventTime(head.createdAt)} UTC.`
    : `The core memory of “${agent}” (${npub}) is empty.`;
  return { what, fine: true };
}

function sentence(text: string): string {
  return text.endsWith(".") ? text : `${text}.`;
}
