import type { Scope } from "../../src/index.ts";
import type { Dispatch, Run, Store, Turn } from "../../src/store/index.ts";
import { pages } from "../pages.ts";
import type { WorkerKills } from "./kill-workers.ts";

type Found = Pick<WorkerKills, "schedules" | "answered" | "takenOver" | "reported" | "faults">;

/** Of everything that was planned: did it happen once, or is it reported? */
export async function findRunFaults(store: Store, { agent, user }: Scope & { user: string }): Promise<Found> {
  const runs = await pages((page) => store.runs.list({ agent, user, ...page }));
  const turns = await pages((page) => store.turns.list({ agent, user, ...page }));
  const dispatches = await pages((page) => store.dispatches.list({ agent, user, ...page }));
  const events = await pages((page) => store.events.list({ agent, user, kind: "run-failed", ...page }));
  const sent = Map.groupBy(dispatches, ({ turn }) => turn);
  const failed = Map.groupBy(events, ({ detail }) => detail.run);
  const faults: string[] = [...(await announcementFaults(store, { agent, user }, dispatches, runs))];
  for (const [schedule, own] of Map.groupBy(runs, (run) => run.schedule))
    if (own.length !== 1) faults.push(`the schedule ${schedule} has ${own.length} runs`);
  for (const { id } of await store.schedules.list({ agent, user, limit: 1000 }))
    faults.push(`the schedule ${id} was never planned`);
  for (const run of runs) {
    const itsTurns = turns.filter(({ id }) => id.startsWith(`${run.id}-run-`));
    const pieces = itsTurns.reduce((sum, { id }) => sum + (sent.get(id)?.length ?? 0), 0);
    const reports = failed.get(run.id)?.length ?? 0;
    faults.push(...runFaults(run, itsTurns, { pieces, reports }).map((fault) => `the run ${run.id} ${fault}`));
  }
  const answered = runs.filter(({ state }) => state === "answered");
  return {
    schedules: new Set(runs.map(({ schedule }) => schedule)).size,
    answered: answered.length,
    takenOver: answered.filter(({ tries }) => tries > 1).length,
    reported: runs.filter(({ state }) => state === "failed").length,
    faults,
  };
}

/** What was sent into the chat is in its history once, and nothing that was not. */
async function announcementFaults(
  store: Store,
  scope: Scope & { user: string },
  dispatches: readonly Dispatch[],
  runs: readonly Run[],
): Promise<string[]> {
  const session = await store.sessions.latest(scope, "telegram");
  const told = session ? (await store.sessions.history(session.id)).map(({ id }) => id) : [];
  const sent = new Set(dispatches.filter(({ state }) => state === "sent").map(({ turn }) => turn));
  const answers = new Set(runs.filter(({ state }) => state === "answered").map(({ turn }) => turn));
  return [
    ...(new Set(told).size === told.length ? [] : ["something was told in the chat twice"]),
    ...told.filter((turn) => !sent.has(turn) || !answers.has(turn)).map((turn) => `${turn} was told, and never sent`),
    ...[...sent].filter((turn) => !told.includes(String(turn))).map((turn) => `${turn} was sent, and is not known`),
  ];
}

/** What is wrong with a run and the turns it had, so many pieces sent for it, and so many reports that it failed. */
export function runFaults(
  run: Pick<Run, "state" | "turn">,
  turns: readonly Pick<Turn, "id" | "state">[],
  { pieces, reports }: { readonly pieces: number; readonly reports: number },
): string[] {
  const answers = turns.filter(({ state }) => state === "answered");
  const left = turns.filter(({ state }) => state === "running").map(({ id }) => `left ${id} running`);
  const happened = run.state === "answered";
  if (!happened && run.state !== "failed") return [`is ${run.state} for ever`, ...left];
  const expected = happened ? { answers: 1, pieces: 1, reports: 0 } : { answers: 0, pieces: 0, reports: 1 };
  const found = { answers: answers.length, pieces, reports };
  return [
    ...(JSON.stringify(found) === JSON.stringify(expected) ? [] : [`is ${run.state} with ${JSON.stringify(found)}`]),
    ...(happened && answers[0]?.id !== run.turn ? [`names the turn ${run.turn}, not its answer's`] : []),
    ...left,
  ];
}
