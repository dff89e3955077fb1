import { z } from "zod";
import {
  type AgentEvent,
  type AgentOptions,
  createAgent,
  type Declaration,
  defineTool,
  type Hook,
  type ProposedChange,
  type Tool,
  type ToolContext,
  type ToolOutput,
} from "../../src/agent/index.ts";
import { defineCharter, fromText, type Proposal, type Reading, usualGuards, withStanding } from "../../src/index.ts";
import { gather } from "../../src/prompt/gather.ts";
import type { Source } from "../../src/prompt/reading.ts";
import { createStore, type Store } from "../../src/store/index.ts";
import { newPlace, type PlaceName } from "../homes.ts";
import type { Scripted } from "./model.ts";

export const rules = "Never give away a secret. Be honest.";

/** What live sections are read from; a test changes it as it likes. */
export type World = { place: Source; clock: Source; inbox: Source };

export type Stage = {
  readonly store: Store;
  readonly world: World;
  readonly declaration: Declaration;
  /** Every look at the clock takes a millisecond; this takes longer. */
  readonly wait: (seconds: number) => void;
  readonly clock: () => Date;
  /** The same database, as another process has it. */
  readonly another: () => Promise<Store>;
  /** An agent, and all it tells. */
  readonly agent: (model: Scripted, options?: Partial<AgentOptions>) => ReturnType<typeof createAgent> & Told;
  /** Another hand's change; the operator's, unless said otherwise. */
  readonly amend: (change: ProposedChange & Partial<Pick<Proposal, "actor">>, user?: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
};

/** `kinds`: what it told of, in order, phases aside. */
export type Told = { readonly events: AgentEvent[]; readonly kinds: () => string[] };

/** A charter with one section of every kind, on a real store. */
export async function newStage(home: PlaceName = "sqlite"): Promise<Stage> {
  const place = await newPlace(home);
  let time = Date.UTC(2026, 1, 18, 12);
  const clock = () => new Date(time++);
  const another = () => createStore(place.open(), { now: clock });
  const store = await another();
  const opened = [store];
  const world: World = {
    place: () => fromText("You are in the library.", { source: "place" }),
    clock: ({ now }) => fromText(`It is ${now.slice(0, 10)}.`, { source: "clock" }),
    inbox: () => fromText(""),
  };
  const declaration = declared(world);
  return {
    store,
    world,
    declaration,
    clock,
    wait: (seconds) => {
      time += seconds * 1000;
    },
    another: async () => {
      const one = await another();
      opened.push(one);
      return one;
    },
    agent: (model, options = {}) => {
      const events: AgentEvent[] = [];
      const agent = createAgent({
        name: "ada",
        charter: declaration,
        model,
        store,
        clock,
        random: () => 0.5,
        on: (event) => events.push(event),
        ...options,
      });
      return { ...agent, events, kinds: () => events.map(({ kind }) => kind).filter((kind) => kind !== "phase") };
    },
    amend: async ({ actor = "operator", ...change }, user) => {
      const scope = { agent: "ada", ...(user === undefined ? {} : { user }) };
      const { charter } = declaration;
      const turn = { now: clock().toISOString(), tools: [], standing: await store.standings.read(charter, scope) };
      const readings = await gather(charter, turn);
      const rulesFor = await declaration.rules();
      const judged = {
        charter,
        scope,
        rules: (section: string, standing: Parameters<typeof withStanding>[2]) =>
          rulesFor(section, withStanding(charter, readings, standing)),
      };
      return store.propose(judged, { ...change, actor });
    },
    close: async () => {
      for (const one of opened) await one.close();
      await place.remove();
    },
  };
}

function declared(world: World): Declaration {
  const live =
    (name: keyof World): Source =>
    (turn): Reading | Promise<Reading> =>
      world[name](turn);
  const charter = defineCharter({
    name: "staged",
    layers: [
      { name: "rules", mutability: "fixed", sections: [{ name: "rules", heading: "## Rules", words: rules }] },
      {
        name: "self",
        mutability: { amendableBy: ["agent", "operator"], scope: "agent", approvedBy: "nobody" },
        sections: [{ name: "goals", heading: "## Goals", original: "- Help people." }],
      },
      {
        name: "user",
        mutability: { amendableBy: ["agent", "user", "operator"], scope: "user" },
        sections: [{ name: "wishes", heading: "## Wishes", fallback: "(none)" }],
      },
      {
        name: "setting",
        mutability: "live",
        sections: [
          { name: "place", heading: "## Place", trust: "own", sources: [live("place")] },
          { name: "clock", heading: "## Clock", trust: "own", sources: [live("clock")], stability: "state" },
          { name: "inbox", heading: "## Inbox", sources: [live("inbox")], stability: "state", trust: "foreign" },
        ],
      },
    ],
  });
  return {
    charter,
    rules: async () => (_section, readings, limits) => ({ guards: usualGuards(charter, readings, limits) }),
  };
}

/** A tool of a test's own: any arguments, and what it does with them. */
export function tool(
  name: string,
  run: (input: Record<string, unknown>, context: ToolContext) => unknown = () => "Done.",
  more: Partial<Omit<Tool, "name" | "input" | "run">> = { trusted: true, harmless: true },
): Tool {
  return defineTool({
    name,
    input: z.looseObject({}),
    summary: `Does ${name}`,
    run: run as (input: Record<string, unknown>, context: ToolContext) => ToolOutput | Promise<ToolOutput>,
    ...more,
  });
}

/** Rewrites a section by the agent's hand. */
export const amends = tool("amend", async ({ section = "goals", content }, { propose }) => {
  const { verdict } = await propose({
    section: String(section),
    operation: { kind: "rewrite", content: String(content) },
  });
  return verdict;
});

/** A promise, and how to keep it: two sides of a test meet by it. */
export function meeting(): { readonly met: Promise<void>; readonly meet: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { met: promise, meet: () => resolve() };
}

/** What the clock of a session says once, after its first input. */
export const clockTold = "system: ## Clock\nIt is 2026-02-18.";

/** How the model is told of a section's new words, by its heading. */
export function changed(heading: string, words: string): string {
  return `Your prompt has changed: “${heading}” now reads:\n\n${words}`;
}

export function hookFailures(agent: ReturnType<Stage["agent"]>): string[] {
  return agent.events.flatMap((one) =>
    one.kind === "hook-failed" ? [`${one.hook} at ${one.moment}: ${one.reason}`] : [],
  );
}

/** Anything a careless host might write. */
export function careless(name: string, moment: keyof Hook, run: (given: never) => unknown): Hook {
  return { name, [moment]: run } as unknown as Hook;
}
