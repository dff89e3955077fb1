import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createStore, type Store, type Turn } from "../../../src/store/index.ts";
import type { Place } from "../../homes.ts";
import { createKilledAgent, type Happened, happenedIn } from "./kill-agent.ts";
import {
  type FoundTurn,
  findAmendmentFaults,
  findChainFaults,
  findSpendingFaults,
  findTurn,
  findTurnFaults,
} from "./kill-check.ts";
import { takeTurns } from "./kill-life.ts";

export type TurnKills = {
  readonly kills: number;
  readonly answered: number;
  readonly interrupted: number;
  readonly calls: number;
  readonly faults: readonly string[];
};

export type TurnKillOptions = {
  readonly kills: number;
  /** How many users' turns are in flight when the process dies. */
  readonly users: number;
  readonly random: () => number;
};

/**
 * Kills one process after the other that runs turns for many users on the same database, at random moments. After each
 * death everything it left is looked at, as a process finds it that starts then, and takes the next turn.
 */
export async function killTurns(place: Place, options: TurnKillOptions): Promise<TurnKills> {
  const { kills, users, random } = options;
  const folder = mkdtempSync(join(tmpdir(), "charter-kills-"));
  const file = join(folder, "happened");
  const faults: string[] = [];
  const seen = new Map<string, FoundTurn>();
  try {
    for (let count = 1; count <= kills; count++) {
      // One in eight dies while it is still opening the database, or in its first turns.
      const when = count % 8 === 1 ? { start: 150 + random() * 500 } : { turn: random() * 400 };
      const { told, complaint, signal } = await takeTurns({ url: place.url, file, users }, when);
      if (complaint !== "" || signal !== "SIGKILL") faults.push(`complaint: ${complaint || `ended by ${signal}`}`);
      await onStore(place, async (store) => {
        faults.push(...(await lookAgain(store, file, seen)));
        for (const { turn, state } of told)
          if (state !== "answered" || seen.get(turn)?.turn.state !== "answered")
            faults.push(`lost: ${turn} was ${state} and is ${seen.get(turn)?.turn.state ?? "nowhere"}`);
      });
    }
    await onStore(place, async (store) => faults.push(...(await lookAtAll(store, happenedIn(file), seen))));
    const states = Map.groupBy(seen.values(), ({ turn: { state } }) => state);
    const of = (state: string) => states.get(state as Turn["state"])?.length ?? 0;
    const calls = [...seen.values()].reduce((sum, one) => sum + one.calls.length, 0);
    return { kills, answered: of("answered"), interrupted: of("interrupted"), calls, faults };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function onStore(place: Place, work: (store: Store) => Promise<unknown>): Promise<void> {
  const store = await createStore(place.open());
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

/** The next turn, in a session whose last may have been interrupted; then all turns that were not seen before. */
async function lookAgain(store: Store, file: string, seen: Map<string, FoundTurn>): Promise<string[]> {
  const faults: string[] = [];
  const { agent } = createKilledAgent(store, file);
  const { state, problem } = await agent.runTurn({ input: crypto.randomUUID(), user: "user-0" });
  if (state !== "answered") faults.push(`the next turn: ${state}, ${problem?.message}`);
  const happened = Map.groupBy(happenedIn(file), ({ turn }) => turn);
  for (let offset = 0, fresh = true; fresh; offset += 100) {
    const page = (await store.turns.list({ limit: 100, offset })).filter(({ id }) => !seen.has(id));
    for (const turn of page) {
      const found = await findTurn(store, turn);
      seen.set(turn.id, found);
      faults.push(...findTurnFaults(found, happened.get(turn.id) ?? []));
    }
    fresh = page.length > 0;
  }
  return faults;
}

/** What can only be told of all of them: nothing changed since it was seen, each user's amendments, money, chains. */
async function lookAtAll(
  store: Store,
  happened: readonly Happened[],
  seen: ReadonlyMap<string, FoundTurn>,
): Promise<string[]> {
  const faults: string[] = [];
  const turns = [...seen.values()];
  const byTurn = Map.groupBy(happened, ({ turn }) => turn);
  for (const [turn] of byTurn) if (!seen.has(turn)) faults.push(`lost: ${turn} had an effect and is nowhere`);
  for (const { turn } of turns) {
    const found = await findTurn(store, await store.turns.get(turn.id));
    if (found.turn.state !== turn.state) faults.push(`${turn.id} was ${turn.state} and is ${found.turn.state}`);
    faults.push(...findTurnFaults(found, byTurn.get(turn.id) ?? []));
  }
  for (const [user, own] of Map.groupBy(turns, ({ turn }) => turn.scope.user as string))
    faults.push(...(await findAmendmentFaults(store, user, own, happened)));
  return [...faults, ...(await findSpendingFaults(store, turns)), ...(await findChainFaults(store))];
}
