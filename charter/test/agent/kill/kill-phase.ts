import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelRequest } from "../../../src/delivery/index.ts";
import { createStore } from "../../../src/store/index.ts";
import type { Place } from "../../homes.ts";
import { deskOf, rewrite } from "../../store/desk.ts";
import { createKilledAgent, happenedIn, toldInputs } from "./kill-agent.ts";
import {
  findAmendmentFaults,
  findChainFaults,
  findRequestFaults,
  findSpendingFaults,
  findTurn,
  findTurnFaults,
  toldOf,
  wishesOf,
} from "./kill-check.ts";
import { takeTurns } from "./kill-life.ts";
import type { Death } from "./kill-turns.ts";

/** What another process finds of a turn whose own died, and how the session goes on. */
export type Aftermath = {
  /** It came to the moment it was to die at. */
  readonly died: boolean;
  /** How often each moment came, where it did not die. */
  readonly moments: Readonly<Record<string, number>>;
  readonly state: string;
  /** The calls on record, in order; those without a result have a question mark. The next turn is told the same. */
  readonly recorded: string;
  /** What really happened, in order. */
  readonly happened: string;
  readonly amended: boolean;
  readonly faults: readonly string[];
};

const user = "bo";

/** A turn, another that dies where it is told to, and a third in the same session, by this process. */
export async function diesAt(place: Place, die: Death | undefined, input = "it"): Promise<Aftermath> {
  const folder = mkdtempSync(join(tmpdir(), "charter-kill-"));
  const file = join(folder, "happened");
  const store = await createStore(place.open());
  try {
    const before = await createKilledAgent(store, file).agent.runTurn({ input: "before", user });
    // Another's hand: the next request of the session folds.
    if (input.startsWith("read")) await store.propose(deskOf(), rewrite("Grow slowly.", { actor: "operator" }));
    const turn = { id: "second", input, user };
    const life = await takeTurns({ url: place.url, file, turn, ...(die ? { die } : {}) });
    const died = life.signal === "SIGKILL";
    const faults = life.complaint === "" ? [] : [life.complaint];

    // As if this were the first turn of a new process: recovery is its own doing.
    const { agent, requests } = createKilledAgent(store, file);
    const after = await agent.runTurn({ input: "after", user });
    if (after.state !== "answered" || after.session !== before.session) faults.push(`after it: ${after.state}`);
    if (input.startsWith("look") && !after.tainted) faults.push("foreign words are in the session, and it is clean");
    for (const request of requests) faults.push(...findRequestFaults(request));
    const asked = toldInputs(requests.at(-1) as ModelRequest);
    if (!asked.includes("before") || asked.at(-1) !== "after") faults.push(`the next turn is told “${asked}”`);
    const happened = happenedIn(file);
    const turns = await Promise.all((await store.turns.list()).map((one) => findTurn(store, one)));
    for (const one of turns) faults.push(...findTurnFaults(one, happened));
    faults.push(...(await findAmendmentFaults(store, user, turns, happened)));
    faults.push(...(await findSpendingFaults(store, turns)), ...(await findChainFaults(store)));
    const second = turns.find(({ turn: { id } }) => id === "second");
    const word = (call: string) => call.slice(call.indexOf("/") + 1);
    const recorded = (second?.calls ?? []).map(({ id }) => word(id) + (second?.results.has(id) ? "" : "?")).join(" ");
    const told = toldOf(requests[0] as ModelRequest, input)
      .map(({ call, known }) => word(call) + (known ? "" : "?"))
      .join(" ");
    if (told !== recorded) faults.push(`recorded is “${recorded}”, the next turn is told “${told}”`);
    const own = happened.filter((one) => one.turn === "second").map(({ call }) => word(call));
    const amended = (await wishesOf(store, user)).some((one) => one.turn === "second");
    return {
      died,
      moments: life.moments,
      state: second?.turn.state ?? "nowhere",
      recorded,
      happened: own.join(" "),
      amended,
      faults,
    };
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
