import { afterEach } from "vitest";
import { type AutomatonLoop, type AutomatonOptions, createAutomaton } from "../../src/channels/automaton/automaton.ts";
import type { Sleep } from "../../src/channels/loop.ts";
import type { Host } from "../../src/host/host.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import type { InboxMessage } from "../../src/store/index.ts";
import { spoken } from "../agent/model.ts";
import type { PlaceName } from "../homes.ts";
import { type HostStage, newHost } from "../host/stage.ts";

export const agent = "nova";
export const addressA = `0x${"a".repeat(40)}`;
export const addressB = `0x${"b".repeat(40)}`;

/** A sovereign agent that lives by a clock the test sets. */
export type LifeStage = HostStage & {
  readonly automaton: AutomatonLoop;
  /** Another process that would be in charge: with a name nobody can ask about, and a host of its own. */
  readonly process: (more?: Partial<AutomatonOptions>) => Promise<AutomatonLoop>;
  readonly post: (sender: string, body: string, id?: string) => Promise<InboxMessage>;
  /** Lets time pass. Whoever sleeps is not woken by it. */
  readonly pass: (ms: number) => void;
  /** Ends everyone's sleep. */
  readonly wakeSleepers: () => void;
  /** All replies, oldest first: [to, body]. */
  readonly replies: () => Promise<readonly (readonly [string, string])[]>;
  readonly message: (id: string) => Promise<InboxMessage>;
  /** The changes of its state, oldest first, as from → to (cause). */
  readonly changes: () => Promise<readonly string[]>;
  /** The input of the newest request. */
  readonly input: () => string;
  readonly log: Readonly<Record<string, unknown>>[];
};

/** Its last turn by itself was just now: the next one is five minutes away. */
export async function newLife(
  home: PlaceName = "sqlite",
  options: Partial<AutomatonOptions> & Pick<HostOptions, "tools" | "limits"> & { readonly settings?: object } = {},
): Promise<LifeStage> {
  const { tools, limits, settings, ...own } = options;
  const stage = await newHost(home, { ...(tools ? { tools } : {}), ...(limits ? { limits } : {}) });
  const { store, time } = stage;
  await store.agents.add({ name: agent, charter: "sovereign", settings: { ...settings } });
  await store.automata.record(agent, [], { ownTurnAt: time.now.toISOString() });
  const log: Readonly<Record<string, unknown>>[] = [];
  const sleepers = new Set<() => void>();
  const sleep: Sleep = (_milliseconds, signal) =>
    new Promise<void>((resolve) => {
      const end = () => {
        sleepers.delete(end);
        resolve();
      };
      sleepers.add(end);
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true });
    });
  const made: AutomatonLoop[] = [];
  const make = (host: Host, more: Partial<AutomatonOptions>) => {
    const usual = { host, agent, sleep, clock: () => time.now, random: () => 1, log: log.push.bind(log) };
    const one = createAutomaton({ ...usual, ...own, ...more });
    made.push(one);
    return one;
  };
  let count = 0;
  return {
    ...stage,
    log,
    automaton: make(stage.host, {}),
    process: async (more = {}) => make(await stage.another(), { runner: `elsewhere:${++count}`, ...more }),
    post: (sender, body, id) => store.inbox.post({ agent, sender, body, ...(id === undefined ? {} : { id }) }),
    pass: (ms) => {
      time.now = new Date(time.now.getTime() + ms);
    },
    wakeSleepers: () => {
      for (const wake of [...sleepers]) wake();
    },
    replies: async () => (await store.inbox.listReplies(agent)).reverse().map(({ to, body }) => [to, body] as const),
    message: (id) => store.inbox.get(agent, id),
    changes: async () => {
      const events = (await store.events.list({ agent, limit: 1000 })).reverse();
      return events
        .filter(({ kind }) => kind === "automaton-state" || kind === "automaton-fault")
        .map(
          ({ kind, detail }) =>
            `${kind === "automaton-fault" ? "FAULT " : ""}${detail.from} → ${detail.to} (${detail.cause})`,
        );
    },
    input: () =>
      spoken(stage.model.requests.at(-1))
        .filter((line) => line.startsWith("user: "))
        .join("\n"),
    close: async () => {
      for (const one of made) await one.stop(0);
      await stage.close();
    },
  };
}

/** Makes such stages for the tests of a file; each is closed after its test. */
export function lives(): typeof newLife {
  const open: LifeStage[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });
  return async (...args) => {
    const one = await newLife(...args);
    open.push(one);
    return one;
  };
}

/** A process that is in charge, has taken what waits, and gets no further. */
export async function stuck(
  stage: LifeStage,
  then = "Fine.",
): Promise<{ readonly ended: Promise<number>; readonly go: () => void }> {
  let go = () => {};
  const asked = new Promise<void>((heard) => {
    stage.model.say(
      (_request, { signal }) =>
        new Promise((resolve) => {
          heard();
          go = () => resolve(then);
          signal.addEventListener("abort", () =>
            resolve({ fault: { code: "model-aborted", message: "Off.", retry: false } }),
          );
        }),
      "Fine.",
    );
  });
  const other = await stage.process();
  const ended = other.tick();
  await asked;
  return { ended, go: () => go() };
}
