import { allSections } from "../../prompt/charter.ts";
import { agent } from "../common-fields.ts";
import { list, object, text, time, whole } from "../field.ts";
import { operation } from "../operation.ts";
import { sectionFacts } from "../sections/section-facts.ts";
import { section } from "../sections/section-fields.ts";
import { shownTurns } from "../turns/read-turns.ts";
import { turn } from "../turns/turn-fields.ts";
import { life, transitions } from "./automaton-fields.ts";
import { lifeOf } from "./life.ts";

const newest = { turns: 20, transitions: 50 };

export const takeSnapshot = operation({
  name: "automaton.snapshot",
  says: "Get an agent's life in one answer",
  about: "State, tier and balances, sections, conversations, the newest turns, and how its state changed.",
  route: "GET /agents/{agent}/snapshot",
  who: "operator",
  input: { agent },
  answer: object({
    ...life,
    at: time(),
    layers: list(section, "Its sections, in the order of the prompt."),
    conversations: list(object({ counterpart: text(), exchanges: whole(), lastAt: time() })),
    recentTurns: list(turn, `The newest ${newest.turns}, newest first.`),
    transitions: transitions(newest.transitions),
  }).named("LifeSnapshot", "Everything about an agent that takes turns on its own."),
  statuses: { 200: "The current state." },
  run: async (context, { agent: name }) => {
    const { store, clock, service } = context;
    const host = await context.host();
    const found = await store.agents.get(name);
    const looked = await host.snapshot({ agent: name });
    const [now, layers, conversations, turns] = await Promise.all([
      lifeOf(host, found, await service.automata?.(), newest.transitions),
      sectionFacts(host, looked, allSections(looked.declaredTurn.charter)),
      store.conversations.list(name, { limit: 200 }),
      store.turns.list({ agent: name, limit: newest.turns }),
    ]);
    const recentTurns = await shownTurns(store, turns, { kind: "operator" });
    return { ...now, at: clock().toISOString(), layers, conversations, recentTurns };
  },
});
