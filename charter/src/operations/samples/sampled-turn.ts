import { addTokens, type Bill, noCacheTokens } from "../../delivery/bill.ts";
import { cacheWords } from "../../delivery/cache-break.ts";
import { addUsage, noUsage, sumCosts } from "../../delivery/cost.ts";
import type { Usage } from "../../delivery/model.ts";
import type { CacheTokens } from "../../prompt/receipt.ts";
import type { StoreEvent } from "../../store/event.ts";
import type { Turn } from "../../store/turns/turn.ts";
import type { CacheBreakBlame } from "./cache-break-blame.ts";
import type { StepFacts } from "./sampled-step.ts";

type Known = {
  readonly predicted: CacheTokens | null;
  readonly cost: number | null;
  readonly own: StepFacts["ownOrder"];
};

export type TurnSum = ReturnType<typeof createTurnSum>;

/** A turn's steps, added up as they are read: of what each sent only the last is kept. */
export function createTurnSum() {
  const shares = createShares();
  const predicted: (CacheTokens | null)[] = [];
  const counted: Known[] = [];
  let usage = noUsage;
  let last: StepFacts | undefined;
  let opened: StepFacts | undefined;
  let broken: StepFacts | undefined;
  let missed = false;
  return {
    add: (step: StepFacts): void => {
      const own = { predicted: step.step.receipt?.predicted ?? null, cost: step.cost, own: step.ownOrder };
      predicted.push(own.predicted);
      if (step.usage) usage = addUsage(usage, step.usage);
      if (step.usage?.input != null) counted.push(own);
      if (step.billed) shares.add(step.billed);
      if (step.step.receipt) last = step;
      missed ||= step.step.missed;
      if (step.cacheBreak && step.step.missed) broken ??= step;
      else if (step.cacheBreak) opened ??= step;
    },
    count: () => predicted.length,
    /** The last step of which it is known what it sent. */
    last: () => last,
    /** The first with a cache miss whose cause is known; where there was none, the one that opened its session. */
    broken: () => (missed ? broken : opened),
    facts: (turn: Turn, events: readonly StoreEvent[], broke: CacheBreakBlame | null) =>
      factsOf(turn, last, events, {
        predicted: sumOf(predicted),
        usage,
        cost: sumCosts(counted.map(({ cost }) => cost)),
        shares: shares.all(),
        ownOrder: ownOrderOf(counted.map(({ own }) => own)),
        broke,
        missed,
        cache: turnCache(last, usage, broke, counted.length),
      }),
  };
}

/** How all requests of a turn together met the cache; why, for the first that missed it. */
function turnCache(last: StepFacts | undefined, usage: Usage, broke: CacheBreakBlame | null, requests: number) {
  if (!last?.receiver) return null;
  const { name, cache } = last.receiver;
  return cacheWords({ receiver: name, cache, usage: requests === 0 ? null : usage, cause: broke, requests });
}

/** What a core sample says of a turn as a whole: its steps together, and what happened in it. */
function factsOf<Sums extends object>(
  turn: Turn,
  last: StepFacts | undefined,
  events: readonly StoreEvent[],
  sums: Sums,
) {
  const { id, scope, session, channel, state, tainted, startedAt, endedAt, input } = turn;
  return {
    turn: id,
    ...{ scope, session, channel, state, tainted, startedAt, endedAt },
    input: opening(input, 200),
    receiver: last?.step.receipt?.receiver ?? null,
    edition: last?.step.receipt?.edition ?? null,
    ...sums,
    amended: events.flatMap(amendedIn),
    refused: events.filter(({ kind }) => kind === "amendment-refused").length,
    held: events.filter(({ kind }) => kind === "amendment-held" || kind === "tool-held").length,
  };
}

/** Its first characters, none of them halved. */
function opening(words: string, max: number): string {
  return [...words.slice(0, 2 * max)].slice(0, max).join("");
}

function sumOf(all: readonly (CacheTokens | null)[]): CacheTokens | null {
  const there = all.filter((one) => one !== null);
  return there.length === 0 ? null : there.reduce(addTokens, noCacheTokens);
}

/** Of the same steps as `usage`: where one of them cannot be told, none is. */
function ownOrderOf(own: readonly StepFacts["ownOrder"][]) {
  const sum = sumOf(own);
  if (!sum || own.includes(null)) return null;
  return { ...sum, cost: sumCosts(own.map((one) => one?.cost ?? null)) };
}

function createShares() {
  type Share = {
    part: "tools" | "section" | "history";
    name: string | null;
    mutability: "fixed" | "live" | "amendable" | null;
  };
  const shares = new Map<string, Share & CacheTokens>();
  const give = (share: Share, more: CacheTokens) => {
    const key = `${share.part}\0${share.name ?? ""}`;
    shares.set(key, { ...share, ...addTokens(shares.get(key) ?? noCacheTokens, more) });
  };
  return {
    add: ({ tools, sections, history }: Bill) => {
      give({ part: "tools", name: null, mutability: null }, tools);
      for (const { section, billed: share } of sections)
        give({ part: "section", name: section.name, mutability: section.mutability }, share);
      give({ part: "history", name: null, mutability: null }, history);
    },
    all: () => [...shares.values()],
  };
}

/** What was erased of an event it does not tell. */
function amendedIn({ kind, detail }: StoreEvent) {
  const { section, revision, actor } = detail;
  const known = actor === "agent" || actor === "user" || actor === "operator";
  if (kind !== "amended" || typeof section !== "string" || !known) return [];
  return [{ section, revision: typeof revision === "number" ? revision : null, actor: actor as "agent" }];
}
