import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { raw } from "../../../src/store/home/sql.ts";
import type { CheckpointResult, Store } from "../../../src/store/index.ts";
import { carriedTables } from "../../../src/store/lifecycle/checkpoint.ts";
import { newPlace, type Place, type PlaceName } from "../../homes.ts";
import { unsentReplies } from "../answer-message.ts";
import { chainPost, postByChain } from "../chain-post.ts";
import { charter, deskOf, newStore, rewrite } from "../desk.ts";
import { live, promptFor } from "../lived.ts";

/** A folder for checkpoints, and stores to save and restore them, which are all gone at the end. */
export function newBench() {
  const folder = mkdtempSync(join(tmpdir(), "charter-checkpoint-"));
  const places: Place[] = [];
  const stores: Store[] = [];
  const open = async (name: PlaceName): Promise<Store> => {
    const place = await newPlace(name);
    places.push(place);
    const store = await newStore(place.open());
    stores.push(store);
    return store;
  };
  return {
    folder,
    file: (name: string) => join(folder, name),
    open,
    /** A store with nothing in it, not even an agent. */
    openEmpty: async (name: PlaceName): Promise<Store> => {
      const store = await open(name);
      for (const { name: table } of carriedTables(store.home.schema.tables))
        await store.home.write("everything", (db) => db.run(raw(`delete from ${table}`)));
      return store;
    },
    close: async () => {
      for (const store of stores) await store.close();
      for (const place of places) await place.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Something of everything happens in a store. Gives the ids of its turns. */
export async function liveThroughAll(store: Store): Promise<string[]> {
  const turns = await live(store);
  const place = { agent: "ada", chain: 1, contract: `0x${"c".repeat(40)}` };
  await postByChain(store, place, chainPost(), "Until six.");
  await store.automata.grant("ada", 5_000_000, "olga");
  await store.inbox.post({ agent: "ada", sender: "gone", body: "x", id: "gone" });
  await store.erase({ user: "counterpart:gone", agent: "ada" });
  await publish(store);
  return turns;
}

/** A text that is also kept elsewhere: what goes out with it, and what was seen there. */
async function publish(store: Store): Promise<void> {
  const scope = { agent: "eve" };
  const make = () => ({ id: "e1", createdAt: 100, body: "signed" });
  const publisher = { address: "a", make, send: async () => undefined };
  await store.propose(deskOf({ scope, rules: () => ({ guards: [], publisher }) }), rewrite("Kept elsewhere, too."));
  const head = { id: "e0", createdAt: 99, digest: "d", place: "wss://one" };
  await store.publications.noteSeen({ ...scope, section: "goals", address: "a" }, head);
  const own = { layers: [{ name: "law", mutability: "fixed" as const, sections: [{ name: "law", words: "Count." }] }] };
  await store.agents.update(scope.agent, async (before) => ({
    ...before,
    charter: { ...own, name: before.charter },
  }));
  await store.pins.see(scope.agent, "files", [{ tool: "read", digest: "d", definition: "{}", reasons: [] }]);
}

/** What was saved of one store is, restored in another, the same in every way and to the byte. */
export async function expectSame(
  {
    store,
    saved,
    turns,
  }: { readonly store: Store; readonly saved: CheckpointResult; readonly turns: readonly string[] },
  restored: Store,
): Promise<void> {
  const proof = await restored.checkpoint.restore(saved.file);
  expect([proof.digest, proof.content, proof.rows]).toEqual([saved.digest, saved.content, saved.rows]);
  expect(proof.header).toMatchObject({ from: store.home.name, agents: ["ada", "eve"] });
  expect(await seen(restored, turns)).toEqual(await seen(store, turns));
  const again = await restored.checkpoint.save(`${saved.file}-again`);
  expect([again.content, again.rows]).toEqual([saved.content, saved.rows]);
}

/** Everything a reader of the store could see. */
async function seen(store: Store, turns: readonly string[]) {
  const scopes = ["ada", "eve"].flatMap((agent) => [{ agent }, { agent, user: "bo" }, { agent, user: "cy" }]);
  return {
    agents: await store.agents.list(),
    users: await store.users.list(),
    tokens: await store.tokens.list(),
    held: await store.held.list(),
    turns: await store.turns.list(),
    schedules: await store.schedules.list(),
    runs: await store.runs.list(),
    links: await Promise.all(["bo", "cy"].map((user) => store.links.of({ agent: "ada", user }))),
    open: await store.updates.countOpen("ada", "telegram"),
    dispatches: await store.dispatches.list({}),
    calls: await store.calls.list({ status: "done" }),
    permissions: await store.calls.list(),
    spent: await Promise.all(["bo", "cy"].map((user) => store.spending.of({ agent: "ada", user, day: "2026-02-18" }))),
    events: (await store.events.list({ limit: 1000 })).map(({ id: _, ...event }) => event),
    conversations: await Promise.all(["bo", "cy"].map((user) => store.conversations.read("ada", user))),
    waiting: await store.inbox.list("ada", "waiting"),
    unsent: await unsentReplies(store.inbox, "ada"),
    scopes: await Promise.all(
      scopes.map(async (scope) => ({
        standing: await store.standings.read(charter, scope),
        goals: await store.history.listWhole(scope, "goals"),
        wishes: await store.history.listWhole(scope, "wishes"),
        notes: await store.memory.list(scope),
        found: await store.memory.search(scope, "second note"),
        prompt: (await promptFor(store, scope.agent, "user" in scope ? scope.user : undefined)).text,
      })),
    ),
    sent: await Promise.all(
      turns.map(async (turn) => {
        const { text: _, ...sent } = await store.steps.replay(turn);
        return sent;
      }),
    ),
  };
}
