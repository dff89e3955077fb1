import { assemble } from "../../charter/src/prompt/assemble.ts";
import { gather } from "../../charter/src/prompt/gather.ts";
import { postgres } from "../../charter/src/store/home/postgres/postgres.ts";
import { sqlite } from "../../charter/src/store/home/sqlite/sqlite.ts";
import { createStore } from "../../charter/src/store/store.ts";
import { flat } from "../rounds.ts";
import { byHandOnPostgres, byHandOnSqlite } from "./by-hand.ts";
import { amendLayers, createSovereignAgent, exchangeOf, sourced } from "./sovereign-agent.ts";
import { type Inputs, sovereignTurns } from "./sovereign-turns.ts";

export type Way = "charter" | "by hand";
/** So many users at once, each asking again as soon as they are answered, until all have taken so many turns. */
export type CrowdOrders = { readonly users: number; readonly turns: number; readonly name: string };

/** After so many turns a user leaves, and another takes their place: sessions are of one length however many there are. */
const stay = 10;
const now = "2026-02-20T10:00:00.000Z";

/** A process of its own, `crowd-work.ts <database> <way>`: it says that it is ready, then “done” or what went wrong. */
const [place = "", way] = process.argv.slice(2);
const isFile = !place.startsWith("postgres:");
const turns = sovereignTurns(10);
const { body: input, reply } = exchangeOf(turns[0] as Inputs, 0);
const sections = sourced((turns[0] as Inputs).layers);
const turn = (way as Way) === "charter" ? await charter() : await byHand();

/** The state of the world is the last one that a turn saw, whosever that was. */
async function charter() {
  const store = await createStore(isFile ? sqlite(place) : postgres(place));
  await amendLayers(store, sections.charter);
  const agent = createSovereignAgent(store, sections, () => reply);
  return async (user: string) => (await agent.runTurn({ input, user })).reply;
}

async function byHand() {
  const store = await createStore(sqlite(":memory:"));
  const standing = await amendLayers(store, sections.charter);
  const hand = isFile ? byHandOnSqlite(place) : await byHandOnPostgres(place);
  return async (session: string) => {
    const readings = await gather(sections.charter, { now, tools: [], standing });
    await hand.turn(session, { prompt: flat(assemble(sections.charter, readings).text), input, reply }, true);
    return reply;
  };
}

process.on("message", async ({ users, turns: count, name }: CrowdOrders) => {
  let [next, wrong] = [0, ""];
  const one = async (_: unknown, user: number) => {
    for (let taken = 0; next < count; taken++) {
      sections.read(turns[next++ % turns.length] as Inputs);
      const given = await turn(`${name}-${user}-${Math.floor(taken / stay)}`);
      if (given !== reply) wrong = `A turn of ${way} answered ${JSON.stringify(given)}.`;
    }
  };
  await Promise.all(Array.from({ length: users }, one));
  process.send?.(wrong || "done");
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
