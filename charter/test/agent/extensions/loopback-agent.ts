import { type Agent, type AgentEvent, type AgentOptions, createAgent } from "../../../src/agent/index.ts";
import type { Model } from "../../../src/delivery/model.ts";
import { createStore, type Store } from "../../../src/store/index.ts";
import {
  type RecordedRequest,
  type Recorder,
  type Reply,
  startRecorder,
} from "../../../src/testing/strict/recorder.ts";
import { type Kind, type Speech, speak } from "../../../src/testing/strict/speech.ts";
import { modelAt, modelNames } from "../../delivery/loopback.ts";
import { newPlace, type Place, type PlaceName } from "../../homes.ts";

/** What the provider does next: it says something, replies in its own way, or whatever a test thinks up. */
export type Line = Speech | Reply | ((request: RecordedRequest) => Speech | Reply | Promise<Speech | Reply>);

/** An agent's whole world on one machine: a database, a provider on the loopback, and a clock that tests move. */
export type Loopback = {
  readonly kind: Kind;
  readonly place: Place;
  readonly store: Store;
  readonly recorder: Recorder;
  readonly model: Model;
  /** What the provider will do, one line a request. */
  readonly play: (...lines: Line[]) => void;
  readonly unplayed: () => number;
  readonly agent: (options: Partial<AgentOptions> & Pick<AgentOptions, "charter">) => Told;
  /** The same database, as another process has it. */
  readonly another: () => Promise<Store>;
  /** Every look at the clock takes a millisecond; this takes longer. */
  readonly wait: (seconds: number) => void;
  readonly clock: () => Date;
  /** How long a model that could not answer was left alone, each time. */
  readonly waits: readonly number[];
  /** The bodies of the requests so far; from one of them on, where a number is given. */
  readonly bodies: (from?: number) => string[];
  readonly close: () => Promise<void>;
};

/** An agent, and all it told. */
export type Told = Agent & { readonly events: AgentEvent[] };

/** Some servers are asked for the most tokens they take; this one does not say. */
export function asksWindow({ method, path }: Pick<RecordedRequest, "method" | "path">): boolean {
  return method === "GET" || path.endsWith("/api/show");
}

export type LoopbackOptions = { readonly home?: PlaceName; readonly upstream?: string };

export async function newLoopback(kind: Kind, { home = "sqlite", upstream }: LoopbackOptions = {}): Promise<Loopback> {
  const place = await newPlace(home);
  let time = Date.UTC(2026, 1, 18, 12);
  const clock = () => new Date(time++);
  const opened: Store[] = [];
  const another = async () => {
    const store = await createStore(place.open(), { now: clock });
    opened.push(store);
    return store;
  };
  const store = await another();
  const lines: Line[] = [];
  const answer = async (request: RecordedRequest): Promise<Reply> => {
    if (asksWindow(request)) return { status: 404, body: "{}" };
    const line = lines.shift() ?? { status: 400, body: '{"error":{"message":"Nothing more was to be asked."}}' };
    const done = typeof line === "function" ? await line(request) : line;
    return isReply(done) ? done : { body: speak(kind, done) };
  };
  const recorder = await startRecorder(upstream === undefined ? { answer } : { upstream });
  const model = await modelAt(recorder.url, modelNames[kind]);
  const waits: number[] = [];
  return {
    kind,
    place,
    store,
    recorder,
    model,
    play: (...more) => {
      lines.push(...more);
    },
    unplayed: () => lines.length,
    agent: (options) => {
      const events: AgentEvent[] = [];
      const agent = createAgent({
        name: "ada",
        model,
        store,
        clock,
        random: () => 0.5,
        sleep: async (milliseconds) => {
          waits.push(milliseconds);
        },
        on: (event) => events.push(event),
        ...options,
      });
      return { ...agent, events };
    },
    another,
    wait: (seconds) => {
      time += seconds * 1000;
    },
    clock,
    waits,
    bodies: (from = 0) =>
      recorder.requests
        .filter((request) => !asksWindow(request))
        .slice(from)
        .map(({ body }) => body),
    close: async () => {
      await recorder.close();
      for (const one of opened) await one.close();
      await place.remove();
    },
  };
}

function isReply(line: Speech | Reply): line is Reply {
  return "status" in line || "body" in line || "ends" in line;
}

/** A call, as a script says it. */
export function called(id: string, name: string, input: object): Speech {
  return { calls: [{ id, name, input: JSON.stringify(input) }] };
}
