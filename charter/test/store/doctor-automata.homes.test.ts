import { expect, onTestFinished, test } from "vitest";
import { checkAutomata } from "../../src/cli/commands/maintain/doctor-automata.ts";
import { createHost } from "../../src/host/create-host.ts";
import { createStore } from "../../src/store/index.ts";
import { scripted } from "../agent/model.ts";
import { homes, newPlace } from "../homes.ts";

test.for(homes)("what keeps an agent from answering is found, the first thing to mend (%s)", async (home) => {
  const place = await newPlace(home);
  onTestFinished(place.remove);
  let time = Date.UTC(2026, 1, 18, 12);
  const now = () => new Date(time);
  const store = await createStore(place.open(), { now });
  try {
    await store.agents.add({ name: "ada", charter: "assistant", model: null, settings: {} });
    await store.agents.add({ name: "sol", charter: "sovereign", model: null, settings: {} });
    const model = scripted();
    const host = createHost({ store, clock: now, env: {}, loadModel: async () => model });
    const look = () => checkAutomata(host, { everyMs: new Map(), chains: new Map() });
    const said = async () => (await look()).map(({ what, hint }) => `${what} ${hint}`);
    // Nobody writes to it, and it was never set up to live: nothing to say.
    expect(await look()).toEqual([]);

    await store.inbox.post({ agent: "sol", sender: "shop/bo", body: "Hello?" });
    expect(await look()).toEqual([
      {
        what: "“sol” has no budget: nothing limits what it spends.",
        fine: false,
        hint: "Say how much it may spend, in dollars: `charter automaton grant sol 5.00`.",
      },
      {
        what: "1 message to “sol” waits, and no process runs it.",
        fine: false,
        hint: 'Write automaton: { agent: "sol" } into charter.config.ts, and start `charter start` or `charter work`: docs/automaton.md.',
      },
    ]);

    await store.automata.grant("sol", 1_000_000, "eva");
    await store.automata.claim("sol", { runner: "here:1", leaseMs: 60_000 });
    expect(await look()).toEqual([]);
    await store.inbox.markAway("sol", { because: "model-rejected: The key is not taken (401)." });
    time += 2000;
    await store.inbox.markAway("sol", { because: "model-busy: Too many requests (429)." });
    expect(await said()).toEqual([
      "The model of “sol” has given no answer since 2026-02-18 12:00:00 UTC. 1 message waits; it is not lost. Reason: model-busy: Too many requests (429). Mend what it says, or give it another model: `charter agents set sol --model …`. It is asked again by itself, every 5 minutes at the latest.",
    ]);
    await store.inbox.markBack("sol");
    expect(await look()).toEqual([]);
    time += 61_000;
    expect(await said()).toEqual([expect.stringContaining("1 message to “sol” waits, and no process runs it.")]);

    await store.automata.sleep("sol", undefined, "eva");
    expect(await said()).toEqual([
      "1 message to “sol” waits: it sleeps until it is woken. Wake it with `charter automaton wake sol`.",
    ]);
    await store.automata.sleep("sol", "2026-02-19T08:00:00Z", "eva");
    expect(await said()).toEqual([
      "1 message to “sol” waits: it sleeps until 2026-02-19 08:00:00 UTC. Wake it with `charter automaton wake sol`.",
    ]);
    await store.agents.freeze("sol", "agent");
    expect(await said()).toEqual(["1 message to “sol” waits: it is frozen. `charter thaw sol`"]);

    await store.automata.record("sol", [], { tier: "Critical" });
    expect(await said()).toEqual([
      "“sol” is in the tier Critical: it asks no model, and 1 message waits. Grant it more: `charter automaton grant sol 5.00`.",
    ]);
  } finally {
    await store.close();
  }
});
