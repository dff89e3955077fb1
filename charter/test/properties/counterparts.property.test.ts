import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import type { AgentEvent } from "../../src/agent/index.ts";
import { createHost } from "../../src/host/index.ts";
import { counterpart, createStore, sqlite } from "../../src/store/index.ts";
import { counterpartKey, isCounterpart } from "../../src/store/scope.ts";
import { callsTools, failsWith, type ScriptLine, scriptedModel } from "../../src/testing/index.ts";
import { runs } from "../tiers/search.ts";
import { alwaysAsync } from "./generate.ts";

/** Nobody's words reach a turn of anybody else: whoever writes, under whatever name, in whatever batch. */

const address = `0x${"ab".repeat(20)}`;
/** Names that look alike. Those that are the same counterpart have the same key. */
const senders = [
  ...[address, address.toUpperCase().replace("X", "x"), ` ${address}`, `0x${"ab".repeat(19)}ac`],
  ...["shop/bo", "shop/Bo", "shop/b\u043e", "operator/bo", `shop/${address}`, `operator/${address}`],
];
const users = ["bo", "Bo", "shop/bo", address, address.toUpperCase()];
/** Everybody by the name they stand under in a scope, and the number their words carry. */
const people = [...new Set([...users, ...senders.map(counterpartKey)])];
const word = (person: string, about: number) => `wren${people.indexOf(person)}x${about}y`;
const named = (text: string) => new Set([...text.matchAll(/wren(\d+)x/g)].map(([, number]) => people[Number(number)]));

type Act =
  | { readonly act: "post"; readonly sender: number }
  | { readonly act: "batch"; readonly counterparts: number; readonly ends: "well" | "badly" | "never" }
  | { readonly act: "user"; readonly user: number; readonly ends: "well" | "badly" }
  | { readonly act: "own" };

const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ act: fc.constant("post" as const), sender: fc.nat(senders.length - 1) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        act: fc.constant("batch" as const),
        counterparts: fc.constantFrom(1, 1, 2, 5),
        ends: fc.constantFrom("well" as const, "well" as const, "badly" as const, "never" as const),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        act: fc.constant("user" as const),
        user: fc.nat(users.length - 1),
        ends: fc.constantFrom("well" as const, "badly" as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ act: fc.constant("own" as const) }) },
  ),
  { minLength: 4, maxLength: 14 },
);

let time = Date.UTC(2026, 1, 18);
const clock = () => {
  time += 1000;
  return new Date(time);
};
const store = await createStore(sqlite(":memory:"), { now: clock });
afterAll(() => store.close());
const model = scriptedModel([]);
const host = createHost({ store, clock, env: {}, loadModel: async () => model });
/** Two counterparts and two exchanges are kept: most are let go again. */
const few = { exchanges: 2, counterparts: 2, chars: 500 };
let lives = 0;

test("no word of anybody else is in a prompt, a result, a note, an event or an error", () =>
  alwaysAsync(
    acts,
    async (played) => {
      const agent = `agent-${++lives}`;
      await store.agents.add({ name: agent, charter: "sovereign" });
      let about = 0;
      /** A turn, and all that is said in it: it may hold words of these, and of nobody else. */
      const take = async (
        turn: { readonly id?: string; readonly user?: string; readonly input: string; readonly channel: string },
        may: readonly string[],
        lines: readonly ScriptLine[],
      ) => {
        model.requests.length = 0;
        model.say(...lines);
        const events: AgentEvent[] = [];
        const session = turn.channel === "automaton" ? { session: "none", foreign: true as const } : {};
        const from = turn.user !== undefined && isCounterpart(turn.user) ? { counterpart: true as const } : {};
        const asked = { agent, user: null, limits: { retries: 0 }, ...turn, ...session, ...from };
        const outcome = await host.runTurn(asked, { on: (event) => void events.push(event) });
        const { prompt } = await host.preview({ agent, ...(turn.user === undefined ? {} : { user: turn.user }) });
        for (const said of [model.requests, outcome, events, prompt.text, prompt.notices])
          for (const one of named(JSON.stringify(said))) expect(may).toContain(one);
        return outcome;
      };
      const remembers = (person: string, message?: string): ScriptLine =>
        callsTools(
          ["save_memory", { content: `They said ${word(person, ++about)}.`, ...(message ? { message } : {}) }],
          ["save_memory", { content: `Again ${word(person, about)}.`, key: "said", ...(message ? { message } : {}) }],
          ["read_memory", {}],
          ["read_memory", { query: "said wren" }],
        );
      const fails = failsWith({ code: "model-rejected", retry: false });

      for (const one of played) {
        if (one.act === "post") {
          const sender = senders[one.sender] as string;
          const said = word(counterpartKey(sender), ++about);
          await store.inbox.post({ agent, sender, id: `m-${agent}-${about}-${said}`, body: `I am ${said}.` });
        } else if (one.act === "user") {
          const user = users[one.user] as string;
          const input = `I am ${word(user, ++about)}.`;
          const ends = one.ends === "badly" ? fails : `Hello, ${word(user, about)}.`;
          await take({ user, input, channel: "web" }, [user], [remembers(user), ends]);
        } else if (one.act === "own") {
          const lines = [callsTools(["read_memory", {}], ["save_memory", { content: "I looked." }]), "Nothing."];
          await take({ input: "Look around.", channel: "automaton" }, [], lines);
        } else {
          const turn = `turn-${agent}-${++about}`;
          const held = await store.inbox.claim(agent, turn, { counterparts: one.counterparts, leaseMs: 60_000 });
          if (held.length === 0) continue;
          const keys = [...new Set(held.map(({ sender }) => counterpartKey(sender)))];
          const user = keys.length === 1 ? { user: keys[0] as string } : {};
          const input = held.map(({ body }) => `> ${body}`).join("\n");
          const replies = held.map(({ id: message, sender }) => ({
            message,
            body: `You said ${word(counterpartKey(sender), about)}.`,
          }));
          const lines = [
            ...held.map(({ id, sender }) => remembers(counterpartKey(sender), id)),
            callsTools(...replies.map((reply) => ["reply", reply] as const)),
            one.ends === "badly" ? fails : "Done.",
          ];
          const { state, problem } = await take({ id: turn, ...user, input, channel: "automaton" }, keys, lines);
          const drafts = (await store.inbox.heldBy(agent, turn)).map(({ id, draft }) => ({
            message: id,
            body: draft,
          }));
          if (held.length > 1) expect(drafts).toEqual(replies);
          const failures = held.map(({ id }) => ({ message: id, because: problem?.message ?? "It had no reply." }));
          if (one.ends !== "never")
            await store.inbox.finish(
              {
                agent,
                turn,
                replies: state === "answered" ? replies : [],
                failures: state === "answered" ? [] : failures,
              },
              few,
            );
        }
      }
      for (const user of [undefined, ...people]) {
        const scope = { agent, ...(user === undefined ? {} : { user }) };
        const may = user === undefined ? [] : [user];
        for (const kept of [await store.memory.list(scope, { limit: 1000 }), await store.held.list(scope)])
          for (const someone of named(JSON.stringify(kept))) expect(may).toContain(someone);
      }
      for (const { scope, detail } of await store.events.list({ agent, limit: 1000 }))
        for (const someone of named(JSON.stringify(detail))) expect(someone).toBe(scope?.user);
      for (const { to, body } of await store.inbox.listReplies(agent, { limit: 1000 }))
        expect([...named(body)]).toEqual([counterpartKey(to)]);
      for (const { counterpart: name } of await store.conversations.list(agent)) {
        const log = await store.conversations.read(agent, name);
        expect([...named(JSON.stringify(log))]).toEqual([counterpartKey(counterpart(name))]);
      }
    },
    runs(3, 60),
  ));
