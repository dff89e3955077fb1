import { expect } from "vitest";
import {
  type AgentEvent,
  type AgentOptions,
  createAgent,
  type Declaration,
  type TurnOutcome,
} from "../../src/agent/index.ts";
import { loadModel } from "../../src/delivery/index.ts";
import type { Model } from "../../src/delivery/model.ts";
import { type Charter, type Proposal, withStanding } from "../../src/index.ts";
import { gather } from "../../src/prompt/gather.ts";
import { createStore, type Store } from "../../src/store/index.ts";
import {
  callsTools,
  type StrictLine,
  type StrictOptions,
  type StrictRequest,
  type StrictServer,
  startsOf,
  strict,
} from "../../src/testing/index.ts";
import { tool } from "../agent/stage.ts";
import { newFile, type Place } from "../homes.ts";

export const claude = "anthropic/claude-sonnet-5-5";

/** A stranger's words: they may stand nowhere that speaks for the system. */
export const canary = "canary-7f3a";

/** The beginning of a request's prefix, as Charter told of it. */
export type ToldStart = { readonly request: number; readonly reason: string };

/** A strict server, a store, and agents of one name that take turns in one session. */
export type StrictStage = {
  readonly server: StrictServer;
  readonly store: Store;
  readonly place: Place;
  readonly clock: () => Date;
  readonly model: Model;
  readonly events: AgentEvent[];
  /** What Charter told of new prefixes: of the first, "opened", and of folds. */
  readonly told: readonly ToldStart[];
  readonly wait: (seconds: number) => void;
  /** Notes what a request of a loop of one's own was told to be. */
  readonly on: (event: AgentEvent) => void;
  readonly agent: (charter: AgentOptions["charter"], options?: Partial<AgentOptions>) => ReturnType<typeof createAgent>;
  /** The same database, as a process has it that starts now. */
  readonly restarted: () => Promise<Store>;
  readonly amend: (declaration: Declaration, change: Omit<Proposal, "actor">) => Promise<unknown>;
  readonly close: () => Promise<void>;
};

export async function newStrictStage(options: StrictOptions = {}, name = claude): Promise<StrictStage> {
  const server = await strict({ strangers: [canary], ...options });
  const place = await newFile();
  let time = Date.UTC(2026, 1, 18, 12);
  const clock = () => new Date(time++);
  const opened: Store[] = [];
  const restarted = async () => {
    const store = await createStore(place.open(), { now: clock });
    opened.push(store);
    return store;
  };
  const store = await restarted();
  const model = await loadModel(name, { env: server.env });
  const events: AgentEvent[] = [];
  const told: ToldStart[] = [];
  const on = (event: AgentEvent) => {
    events.push(event);
    if (event.kind !== "step-start") return;
    const { prefixChange } = event;
    const request = server.requests.length;
    if (prefixChange.how === "opened") told.push({ request, reason: "opened" });
    if (prefixChange.how === "folded") told.push({ request, reason: prefixChange.reason });
  };
  return {
    ...{ server, store, place, clock, model, events, told, on, restarted },
    wait: (seconds) => {
      time += seconds * 1000;
    },
    agent: (charter, more = {}) =>
      createAgent({ name: "ada", charter, model, store, clock, random: () => 0.5, sleep: async () => {}, on, ...more }),
    amend: async ({ charter, rules }, change) => {
      const scope = { agent: "ada" };
      const turn = { now: clock().toISOString(), tools: [], standing: await store.standings.read(charter, scope) };
      const readings = await gather(charter, turn);
      const judges = await rules();
      const judged = {
        charter,
        scope,
        rules: (section: string, standing: Parameters<typeof withStanding>[2]) =>
          judges(section, withStanding(charter, readings, standing)),
      };
      return store.propose(judged, { ...change, actor: "operator" });
    },
    close: async () => {
      await server.close();
      for (const one of opened) await one.close();
      await place.remove();
    },
  };
}

export const look = tool("look", () => "A cup.");

/** The lines of a turn that looks once before it answers. */
export function looks(reply: string): StrictLine[] {
  return [callsTools(["look"]), reply];
}

type Takes = Pick<ReturnType<typeof createAgent>, "runTurn">;

/** Takes a turn that looks once and answers. */
export async function takes(
  { server }: StrictStage,
  agent: Takes,
  input: string,
  more: Partial<Parameters<Takes["runTurn"]>[0]> & { readonly lines?: readonly StrictLine[] } = {},
): Promise<TurnOutcome> {
  const { lines = looks(`Answer to “${input}”.`), user = "mia", ...about } = more;
  server.say(...lines);
  const outcome = await agent.runTurn({ ...about, input, user });
  expect([input, outcome.state, server.findings]).toEqual([input, "answered", []]);
  return outcome;
}

/**
 * What must hold of every story: the provider refused nothing and dropped nothing, and each request goes on from an earlier one,
 * every thinking block byte for byte, but where a fold was told, for these reasons.
 */
export function expectAppendOnly({ server, told }: StrictStage, folds: readonly string[] = []): void {
  expect(server.findings).toEqual([]);
  expect(server.requests.flatMap(({ dropped }) => dropped)).toEqual([]);
  const starts = startsOf(server.requests);
  const summaries = server.requests.filter(isSummary).map(({ index }) => index);
  const known = [...told.map(({ request }) => request), ...summaries];
  const untold = starts.filter(({ request }) => !known.includes(request));
  expect(untold).toEqual([]);
  expect(told.map(({ reason }) => reason)).toEqual(["opened", ...folds]);
}

/** Returns true for a request that asks for a summary: it may be without any reasoning. */
export function isSummary({ body }: StrictRequest): boolean {
  return JSON.stringify(body).includes("Write down what was said so far");
}

/** The law, goals that may be amended, and what a story adds: a charter of one's own. */
export function lawful(more: Charter["layers"] = [], law = "Harm no one."): Charter {
  return {
    name: "lawful",
    layers: [
      { name: "law", mutability: "fixed", sections: [{ name: "law", heading: "## Law", words: law }] },
      {
        name: "own",
        mutability: { amendableBy: ["agent", "operator"], scope: "agent", approvedBy: "nobody" },
        sections: [{ name: "goals", heading: "## Goals", original: "- Help people." }],
      },
      ...more,
    ],
  };
}
