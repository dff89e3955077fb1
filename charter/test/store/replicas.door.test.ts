import { afterAll, beforeAll, expect, test } from "vitest";
import { assistantFromFacts } from "../../src/charters/assistant/assistant.ts";
import { factsOf } from "../../src/charters/facts.ts";
import { assemble, gather, type Proposal, withStanding } from "../../src/index.ts";
import { raw } from "../../src/store/home/sql.ts";
import { createStore, type ProposalOutcome, type Store } from "../../src/store/index.ts";
import { charter as command } from "../cli.ts";
import { newPlace, type Place } from "../homes.ts";
import { problemOf } from "./contract/given.ts";
import { deskOf, rewrite } from "./desk.ts";

/** One of several machines on one database: it keeps nothing of its own between two prompts. */
type Replica = {
  readonly store: Store;
  readonly prompt: (user?: string) => Promise<string>;
  readonly propose: (proposal: Proposal, user?: string) => Promise<ProposalOutcome>;
};

const agent = "eva";
const noon = "2026-02-18T12:00:00Z";

async function newReplica(place: Place): Promise<Replica> {
  const store = await createStore(place.open());
  const load = async (user?: string) => {
    const scope = { agent, ...(user === undefined ? {} : { user }) };
    const { settings } = await store.agents.get(agent);
    const zone = user === undefined ? undefined : (await store.users.find(user))?.zone;
    const facts = factsOf({ ...settings, ...scope, now: noon, channel: "web", ...(zone ? { zone } : {}) });
    const given = assistantFromFacts(facts, () => new Date(noon));
    const standing = await store.standings.read(given.charter, scope, given.fault);
    return { scope, ...given, turn: { ...given.turn, standing } };
  };
  return {
    store,
    prompt: async (user) => {
      const { charter, turn } = await load(user);
      return assemble(charter, await gather(charter, turn)).text;
    },
    propose: async (proposal, user) => {
      const { charter, turn, scope, rules } = await load(user);
      const [readings, rulesFor] = [await gather(charter, turn), await rules()];
      return store.propose(
        { charter, scope, rules: (section, standing) => rulesFor(section, withStanding(charter, readings, standing)) },
        proposal,
      );
    },
  };
}

let place: Place;
let one: Replica;
let two: Replica;
beforeAll(async () => {
  place = await newPlace("postgres");
  one = await newReplica(place);
  two = await newReplica(place);
  await one.store.agents.put({ name: agent, charter: "assistant" });
});
afterAll(async () => {
  await one?.store.close();
  await two?.store.close();
  await place?.remove();
});

const instruct = (content: string): Proposal => ({
  section: "instructions",
  operation: { kind: "rewrite", content },
  actor: "user",
});

test("what one replica writes is in the other's next prompt, word for word, every time", async () => {
  expect(await two.prompt("bo")).toContain("(No custom instructions set.)");
  for (let index = 0; index < 20; index++) {
    const [writer, reader] = index % 2 ? [one, two] : [two, one];
    expect((await writer.propose(instruct(`Wish number ${index}.`), "bo")).verdict).toBe("accepted");
    const prompt = await reader.prompt("bo");
    expect(prompt).toContain(`## User Instructions\nWish number ${index}.\n`);
    expect(prompt).toBe(await writer.prompt("bo"));
  }
  expect(await one.prompt("cy")).toContain("(No custom instructions set.)");
});

test("the operator's words change for everyone, on every replica", async () => {
  const soul: Proposal = {
    section: "soul",
    operation: { kind: "rewrite", content: "You are calm." },
    actor: "operator",
  };
  await one.propose(soul);
  for (const user of [undefined, "bo", "cy"]) {
    expect(await two.prompt(user)).toContain("You are calm.");
    expect(await two.prompt(user)).toBe(await one.prompt(user));
  }
  const shown = command(["show", "--agent", agent, "--user", "bo", "--channel", "web", "--database", place.url]);
  expect(shown.stderr).toBe("");
  expect(shown.stdout).toContain("You are calm.");
  expect(shown.stdout).toContain("Wish number 19.");
});

test("a user's zone that one replica is told of is the time in the other's next prompt", async () => {
  expect(await two.prompt("bo")).toContain("at 12:00 PM (UTC)");
  await one.store.users.put({ id: "bo", zone: "Asia/Kolkata" });
  expect(await two.prompt("bo")).toContain("Wednesday, February 18, 2026 at 05:30 PM (Asia/Kolkata)");
  expect(await two.prompt("cy")).toContain("at 12:00 PM (UTC)");
  await two.store.users.put({ id: "bo", zone: null });
  expect(await one.prompt("bo")).toContain("at 12:00 PM (UTC)");
});

test("the brake one replica puts on holds on the other at once, and so does taking it off", async () => {
  await one.store.agents.freeze(agent, "amendments");
  const refused = await two.propose(instruct("Not now."), "bo");
  expect(refused.verdict === "refused" && refused.refusals.map(({ guard }) => guard)).toEqual(["frozen"]);
  await two.store.agents.freeze(agent, "agent");
  const turn = one.store.turns.open({ scope: { agent, user: "bo" }, input: "Hello?" });
  expect(await problemOf(turn)).toBe(`agent-frozen: “${agent}” is frozen. Undo it with \`charter thaw ${agent}\`.`);
  await one.store.agents.thaw(agent);
  expect((await two.propose(instruct("Now."), "bo")).verdict).toBe("accepted");
  expect(await one.prompt("bo")).toContain("Now.");
  expect((await two.store.turns.open({ scope: { agent, user: "bo" }, input: "Hello?" })).state).toBe("running");
});

test("settings one replica is given are the other's from the next prompt on", async () => {
  await two.store.agents.put({ name: agent, charter: "assistant", settings: { zone: "Europe/Berlin" } });
  expect(await one.prompt("cy")).toContain("at 01:00 PM (Europe/Berlin)");
});

test("a note, a message and a token of one replica are the other's", async () => {
  await one.store.memory.save({ agent, user: "bo" }, { text: "Bo likes green tea." });
  expect((await two.store.memory.search({ agent, user: "bo" }, "tea")).notes.length).toBe(1);
  await one.store.inbox.post({ agent, sender: "bo", body: "Hello?", id: "m1" });
  expect((await two.store.inbox.claim(agent, "t1")).map(({ id }) => id)).toEqual(["m1"]);
  expect(await one.store.inbox.claim(agent, "t2")).toEqual([]);
  const { secret, id } = await one.store.tokens.create({ name: "t", kind: "operator" });
  expect((await two.store.tokens.authenticate(secret))?.id).toBe(id);
  await one.store.tokens.revoke(id);
  expect(await two.store.tokens.authenticate(secret)).toBeUndefined();
});

test("who freezes an agent has to wait for the amendment that is being written, and none comes after", async () => {
  await one.store.agents.put({ name: "brake", charter: "test" });
  const waits = raw(
    "select 1 from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())",
  );
  let freezing: Promise<unknown> | undefined;
  let frozen = false;
  const home = place.open();
  const slow = await createStore({
    ...home,
    write: (reach, work) =>
      home.write(reach, async (db) => {
        const result = await work(db);
        freezing ??= two.store.agents.freeze("brake", "amendments").then(() => {
          frozen = true;
        });
        while (!frozen && !(await db.one(waits)));
        expect(frozen).toBe(false);
        return result;
      }),
  });
  const context = deskOf({ scope: { agent: "brake" } });
  expect(await slow.propose(context, rewrite("One."))).toMatchObject({ verdict: "accepted", revision: 1 });
  await freezing;
  expect(await one.store.propose(context, rewrite("Two."))).toMatchObject({
    verdict: "refused",
    refusals: [{ guard: "frozen" }],
  });
  await slow.close();
});
