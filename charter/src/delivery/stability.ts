import { grouped } from "../prompt/problem.ts";
import type { Notice } from "../prompt/reading.ts";
import type { SectionText } from "../prompt/receipt.ts";
import type { Baseline } from "./baseline.ts";
import { inDollars, microsOf } from "./cost.ts";
import type { Receiver } from "./receiver.ts";
import { stabilityOf } from "./slot.ts";

/** In so many turns in a row a section's text changes before the operator is told. */
const maxTurns = 3;
/** The cost is told for a session of so many turns. */
const usualTurns = 20;

type Change = { readonly turn: string; readonly turns: number };

type Seen = {
  readonly before: Baseline | null;
  readonly turn: string;
  /** The sections whose text is another than was last sent. */
  readonly changed: readonly string[];
  readonly all: readonly SectionText[];
};

/**
 * In how many turns in a row the text of each live section that counts as stable has changed. One that was told of stays:
 * it is told once in a session.
 */
export function changesOf({ before, turn, changed, all }: Seen): Readonly<Record<string, Change>> {
  const known = before?.changes ?? {};
  const moved = all.filter((words) => changed.includes(words.name) && isGenerated(words)).map(({ name }) => name);
  // A loop that names no turns has one for each request.
  const isNow = (one: Change | undefined) => turn !== "" && one?.turn === turn;
  const kept = Object.entries(known).filter(([, one]) => isNow(one) || one.turns >= maxTurns);
  const next = moved.map((name): [string, Change] => {
    const one = known[name];
    return [name, one && isNow(one) ? one : { turn, turns: (one?.turns ?? 0) + 1 }];
  });
  return Object.fromEntries([...kept, ...next]);
}

/** Made afresh each turn, and placed where only what seldom changes belongs. What somebody amended is another matter. */
function isGenerated(words: SectionText): boolean {
  return words.mutability === "live" && stabilityOf(words) === "stable";
}

/** The sections that changed once too often with this request, each with what that costs. */
export function unstableNotices(
  { before, all }: Pick<Seen, "before" | "all">,
  changes: Readonly<Record<string, Change>>,
  receiver: Receiver,
): Notice[] {
  return Object.entries(changes).flatMap(([section, { turns }]) => {
    if (turns !== maxTurns || before?.changes?.[section]?.turns === maxTurns) return [];
    const words = all.find(({ name }) => name === section);
    const tokens = words?.tokens ?? Math.ceil((words?.text.length ?? 0) / 4);
    const message = `“${section}” counts as stable, and its text changed in ${maxTurns} turns in a row. Each change is sent as an update that later requests carry along: ${costWords(tokens, receiver)}. Declare it with stability: "state".`;
    return [{ code: "section-unstable", section, message }];
  });
}

/** What updates come to beyond what state would: each is written once, and read in every later request. */
function costWords(tokens: number, { price, cache }: Receiver): string {
  const [written, read] = [tokens * usualTurns, (tokens * usualTurns * (usualTurns - 1)) / 2];
  const more = `about ${grouped(read)} tokens more in ${usualTurns} turns`;
  if (!price) return more;
  const asUpdates = { read, ...(cache.kind === "breakpoint" ? { written } : { fresh: written }) };
  const micros = microsOf(price, asUpdates) - microsOf(price, { fresh: written });
  return `${more}, $${inDollars(micros).toPrecision(2)}`;
}

/** The sections of a session that were told of, for who asks later. */
export function unstableSections(baseline: Baseline | null): string[] {
  const changes = Object.entries(baseline?.changes ?? {});
  return changes.filter(([, { turns }]) => turns >= maxTurns).map(([section]) => section);
}
