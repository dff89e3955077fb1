import type { Scope } from "../../amend/amendment.ts";
import { addTokens, type Bill, noCacheTokens } from "../../delivery/bill.ts";
import { type CacheBreak, type ChangedSection, cacheWords } from "../../delivery/cache-break.ts";
import { addUsage, noUsage, sumCosts } from "../../delivery/cost.ts";
import type { Usage } from "../../delivery/model.ts";
import type { Host } from "../../host/host.ts";
import { planOf } from "../../prompt/plan.ts";
import { Problem } from "../../prompt/problem.ts";
import type { CacheTokens, Receipt } from "../../prompt/receipt.ts";
import type { AmendmentEntry, RevisionRange } from "../../store/amendments/amendments.ts";
import type { StoreEvent } from "../../store/event.ts";
import type { Store } from "../../store/store.ts";
import type { Turn } from "../../store/turns/turn.ts";
import { agentScopeFor } from "../caller.ts";
import { agent, page, text, whole } from "../field.ts";
import { operation } from "../operation.ts";
import {
  createStepReader,
  type SectionPlaces,
  type StepFacts,
  sampleList,
  shownStep,
  stepCache,
} from "./sample-fields.ts";
import { readTurns, turnFilter, turnSort } from "./turn-fields.ts";

const listSamples = operation({
  name: "samples.list",
  says: "List samples: what each turn sent and cost",
  about: "What each turn sent, section by section, what it was billed for, and what caused a cache miss.",
  route: "GET /agents/{agent}/samples",
  who: "operator",
  input: {
    ...turnFilter,
    agent,
    session: text("Only those of this session.").optional(),
    sort: turnSort,
    ...page,
    limit: whole("How many rows.", { least: 1, most: 200 }).usual(50),
  },
  answer: sampleList,
  statuses: { 200: "Default: the newest first." },
  run: async (context, { agent, user, ...asked }) => {
    const scope = await agentScopeFor(context, agent, user);
    const { rows, ...stretch } = await readTurns(context.store, { ...asked, ...scope });
    const sampled = await samplesOf(await context.host(), agent, rows);
    const samples = sampled.map(({ facts, count, last }) => {
      const { tools = null, history = null, sections = [] } = last ? shownStep(last) : {};
      return { ...facts, steps: count, tools, history: history?.tokens ?? null, sections };
    });
    return { samples, ...stretch };
  },
});

export const operations = [listSamples];

/** A turn's core sample, step by step. */
export async function sampleOf(host: Host, turn: Turn) {
  const steps: StepFacts[] = [];
  const [one] = await samplesOf(host, turn.scope.agent, [turn], steps);
  const { facts, blamed, events } = one as Sampled;
  const stepFacts = steps.map((step) => {
    const broke = blamed(step);
    return { ...shownStep(step), broke, cache: stepCache(step, broke) };
  });
  return { ...facts, since: await sinceBefore(host.store, turn, steps), steps: stepFacts, events };
}

/**
 * Lists the amendments made since the session's previous turn began, which are new to the model. Null if there is none before.
 */
async function sinceBefore({ turns, history }: Store, turn: Turn, steps: readonly StepFacts[]) {
  const { scope, session, startedAt } = turn;
  if (session === null) return null;
  const [before] = await turns.list({ agent: scope.agent, session, to: startedAt, limit: 1 });
  if (!before) return null;
  const receipt = steps.find(({ step }) => step.receipt !== null)?.step.receipt;
  const entries = receipt ? await history.between(sentRevisions(scope, receipt)) : [];
  return { turn: before.id, amendments: amendmentsSince(before.startedAt, entries) };
}

type Sampled = Awaited<ReturnType<typeof samplesOf>>[number];

/**
 * Samples of one agent's turns, with one query per table for all of them. The steps themselves are added to `all` if it is given.
 */
async function samplesOf(host: Host, agent: string, turns: readonly Turn[], all?: StepFacts[]) {
  const { store } = host;
  const ids = turns.map(({ id }) => id);
  const [events, places] = await Promise.all([store.events.ofTurns(ids), placesIn(host, agent)]);
  const sums = new Map<string, TurnSum>(ids.map((id) => [id, createTurnSum()]));
  const factsOf = createStepReader(new Set(ids), places, host.models);
  for await (const sampled of store.steps.sample(ids)) {
    const step = factsOf(sampled);
    if (!step) continue;
    sums.get(sampled.turn)?.add(step);
    all?.push(step);
  }
  const happened = Map.groupBy(events, ({ turn }) => turn);
  const broken = new Map<StepFacts, CacheBreakContext>();
  const scopes = new Map(turns.map(({ id, scope }) => [id, scope]));
  for (const step of all ?? [...sums.values()].flatMap((sum) => sum.broken() ?? [])) {
    const scope = scopes.get(step.step.turn);
    if (scope && step.cacheBreak && step.receiver)
      broken.set(step, { scope, at: step.step.at, receiver: step.receiver.name, cacheBreak: step.cacheBreak });
  }
  const amendments = await store.history.between([...broken.values()].flatMap(suspects));
  const blamed = (step: StepFacts): CacheBreakBlame | null => {
    const blame = broken.get(step);
    return blame ? blameCacheBreak(blame, amendments) : null;
  };
  return turns.map((turn) => {
    const sum = sums.get(turn.id) as TurnSum;
    const first = sum.broken();
    const inIt = happened.get(turn.id) ?? [];
    const facts = sum.facts(turn, inIt, first ? blamed(first) : null);
    return { facts, count: sum.count(), last: sum.last(), events: inIt, blamed };
  });
}

/**
 * Positions of an agent's sections; null if its charter cannot be read now. Its turns are shown all the same, without the cost of
 * another order.
 */
async function placesIn({ snapshot }: Host, agent: string): Promise<SectionPlaces | null> {
  try {
    const { charter } = (await snapshot({ agent })).declaredTurn;
    const { byName } = planOf(charter);
    return { charter: charter.name, of: (section) => byName.get(section)?.index };
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

type Known = {
  readonly predicted: CacheTokens | null;
  readonly cost: number | null;
  readonly own: StepFacts["ownOrder"];
};

export type TurnSum = ReturnType<typeof createTurnSum>;

/** Adds up a turn's steps as they are read, and keeps only the last one's content. */
function createTurnSum() {
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
    /** Returns the last step whose content is known. */
    last: () => last,
    /** Returns the first step with a cache miss of known cause; without a miss, the step that opened its session. */
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

/** Sentence on how all requests of a turn met the cache; the reason is that of the first miss. */
function turnCache(last: StepFacts | undefined, usage: Usage, broke: CacheBreakBlame | null, requests: number) {
  if (!last?.receiver) return null;
  const { name, cache } = last.receiver;
  return cacheWords({ receiver: name, cache, usage: requests === 0 ? null : usage, cause: broke, requests });
}

/** Facts of a turn as a whole: its steps together, and the events in it. */
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

/** First `max` characters, none of them halved. */
function opening(words: string, max: number): string {
  return [...words.slice(0, 2 * max)].slice(0, max).join("");
}

function sumOf(all: readonly (CacheTokens | null)[]): CacheTokens | null {
  const there = all.filter((one) => one !== null);
  return there.length === 0 ? null : there.reduce(addTokens, noCacheTokens);
}

/** Sum of what the charter's own order would have cost, over the same steps as `usage`; null if one is unknown. */
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
      for (const { section, billed } of sections)
        give({ part: "section", name: section.name, mutability: section.mutability }, billed);
      give({ part: "history", name: null, mutability: null }, history);
    },
    all: () => [...shares.values()],
  };
}

/** Amendment an event is about; none if its details were erased. */
function amendedIn({ kind, detail }: StoreEvent) {
  const { section, revision, actor } = detail;
  const known = actor === "agent" || actor === "user" || actor === "operator";
  if (kind !== "amended" || typeof section !== "string" || !known) return [];
  return [{ section, revision: typeof revision === "number" ? revision : null, actor: actor as "agent" }];
}

/** Maximum number of revisions of a section that are compared: a longer list would tell nobody anything. */
const maxRevisions = 20;

/** Ranges of the amendments that may be new in a request: for each amendable section, up to the revision that was sent. */
function sentRevisions(scope: Scope, { slots }: Pick<Receipt, "slots">): RevisionRange[] {
  const newest = new Map<string, RevisionRange>();
  for (const { name, mutability, revision, whose } of slots.flatMap(({ sections }) => sections)) {
    if (mutability !== "amendable" || revision === null || revision <= (newest.get(name)?.upTo ?? 0)) continue;
    const owner = whose === "agent" ? { agent: scope.agent } : scope;
    newest.set(name, { scope: owner, section: name, after: Math.max(0, revision - maxRevisions), upTo: revision });
  }
  return [...newest.values()];
}

/** Lists the amendments made after a time, oldest first. */
function amendmentsSince(time: string, entries: readonly AmendmentEntry[]) {
  return entries
    .filter(({ at }) => at >= time)
    .sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : one.revision - other.revision))
    .map(({ scope, section, revision, actor, turn, reason, at }) => ({
      ...{ scope, section, revision, actor, turn, reason, at },
    }));
}

/** A cache miss, with the owner of its turn and its time. */
export type CacheBreakContext = {
  readonly scope: Scope;
  readonly at: string;
  readonly receiver: string;
  readonly cacheBreak: CacheBreak;
};

/** Cause of a cache miss, and who is responsible. */
export type CacheBreakBlame = {
  readonly what: CacheBreak["what"];
  readonly section: string | null;
  readonly revision: number | null;
  readonly actor: AmendmentEntry["actor"] | null;
  readonly turn: string | null;
  readonly reason: string | null;
  readonly says: string;
};

/** Ranges of the amendments that may have caused a cache miss: for each changed section, those between both requests. */
export function suspects({ scope, cacheBreak }: CacheBreakContext): RevisionRange[] {
  if (cacheBreak.what !== "section" && cacheBreak.what !== "folded") return [];
  return cacheBreak.sections.flatMap(({ name, before, after }) => {
    const { whose, mutability } = (after ?? before) as NonNullable<ChangedSection["after"]>;
    if (mutability !== "amendable") return [];
    const upTo = after ? after.revision : Number.MAX_SAFE_INTEGER;
    if (upTo === null) return [];
    const owner = whose === "agent" ? { agent: scope.agent } : scope;
    return [{ scope: owner, section: name, after: before?.revision ?? upTo - 1, upTo }];
  });
}

/**
 * Picks the change that caused a cache miss. Among several, it is one that must be in the prefix at once (an operator's, or a
 * revert), since other amendments would have waited in the history.
 */
export function blameCacheBreak(broken: CacheBreakContext, amendments: readonly AmendmentEntry[]): CacheBreakBlame {
  const { cacheBreak, at } = broken;
  const nobody = { what: cacheBreak.what, section: null, revision: null, actor: null, turn: null, reason: null };
  if (cacheBreak.what !== "section" && cacheBreak.what !== "folded") return { ...nobody, says: cacheBreakText(broken) };
  const ranges = suspects(broken);
  const changes = cacheBreak.sections.map((section) => {
    const range = ranges.find((one) => one.section === section.name);
    const entries = amendments.filter((entry) => range !== undefined && isIn(entry, range) && entry.at <= at);
    return { section, entry: entries.findLast(takesBack) ?? entries.at(-1) };
  });
  const [first] = changes as [(typeof changes)[number]];
  const { section, entry } =
    changes.find((one) => one.entry && takesBack(one.entry)) ?? changes.find((one) => one.entry) ?? first;
  const about = { ...nobody, section: section.name, revision: entry?.revision ?? section.after?.revision ?? null };
  if (!entry) return { ...about, says: changeSays(cacheBreak.what, section) };
  const { actor, turn, reason } = entry;
  return { ...about, actor, turn, reason, says: handSays(cacheBreak.what, entry) };
}

function isIn({ scope, section, revision }: AmendmentEntry, range: RevisionRange): boolean {
  const same = scope.agent === range.scope.agent && scope.user === range.scope.user && section === range.section;
  return same && revision > range.after && revision <= range.upTo;
}

function takesBack({ actor, operation }: AmendmentEntry): boolean {
  return actor === "operator" || operation === "reset" || operation === "revert";
}

function cacheBreakText({ cacheBreak, receiver }: CacheBreakContext): string {
  switch (cacheBreak.what) {
    case "cold":
      return `${lasting(cacheBreak.passedSeconds)} had passed since the request before; ${receiver} keeps its cache for ${lasting(cacheBreak.keptSeconds)}.`;
    case "tools":
      return "The tools changed, and everything that is cached comes after them.";
    case "compacted":
      return "The history was compacted: a summary took the place of its messages.";
    default:
      return "It opened a new session.";
  }
}

function lasting(seconds: number): string {
  const [count, unit] =
    seconds < 120
      ? [seconds, "second"]
      : seconds < 7200
        ? [Math.floor(seconds / 60), "minute"]
        : seconds < 172_800
          ? [Math.floor(seconds / 3600), "hour"]
          : [Math.floor(seconds / 86_400), "day"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** Sentence about a change without an amendment that says who made it. */
function changeSays(what: "section" | "folded", { name, before, after }: ChangedSection): string {
  const section = `“${name}”`;
  if (what === "folded") return `The update of ${section} was moved into the system prompt.`;
  if (name === "mark" && (after ?? before)?.layer === "delivery")
    return "The session has a new mark: somebody's text contained the old one.";
  if (!before) return `${section} was added to the prompt.`;
  if (!after) return `${section} is no longer in the prompt.`;
  if (after.mutability === "fixed") return `The charter changed the fixed text of ${section}.`;
  if (after.stability === "state") return `${section} is generated per turn and comes before the rest of the prompt.`;
  return after.mutability === "live"
    ? `${section} is generated per turn, and its text changed.`
    : `The text of ${section} changed.`;
}

function handSays(
  what: "section" | "folded",
  { scope, actor, section, revision, operation, turn, reason }: AmendmentEntry,
): string {
  const hand = actor === "user" ? (scope.user ?? "A user") : actor === "agent" ? "The agent" : "The operator";
  const did = operation === "revert" ? "reverted" : operation === "reset" ? "reset" : "changed";
  const when = `(revision ${revision})${turn === null ? "" : ` in turn ${turn}`}${reason === null ? "." : `: “${reason}”`}`;
  return what === "folded"
    ? `The update of “${section}” was moved into the system prompt. ${hand} ${did} it ${when}`
    : `${hand} ${did} “${section}” ${when}`;
}
