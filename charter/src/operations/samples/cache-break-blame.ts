import type { Scope } from "../../amend/amendment.ts";
import type { CacheBreak, ChangedSection } from "../../delivery/cache-break.ts";
import type { AmendmentEntry, RevisionRange } from "../../store/amendments/amendments.ts";

/** A break of the cache, whose turn it was in, and when. */
export type CacheBreakContext = {
  readonly scope: Scope;
  readonly at: string;
  readonly receiver: string;
  readonly cacheBreak: CacheBreak;
};

/** What broke the cache, and who. */
export type CacheBreakBlame = {
  readonly what: CacheBreak["what"];
  readonly section: string | null;
  readonly revision: number | null;
  readonly actor: AmendmentEntry["actor"] | null;
  readonly turn: string | null;
  readonly reason: string | null;
  readonly says: string;
};

/** The amendments that could be to blame: of every changed section those between the two it was sent with. */
export function suspects({ scope, cacheBreak: broke }: CacheBreakContext): RevisionRange[] {
  if (broke.what !== "section" && broke.what !== "folded") return [];
  return broke.sections.flatMap(({ name, before, after }) => {
    const { whose, mutability } = (after ?? before) as NonNullable<ChangedSection["after"]>;
    if (mutability !== "amendable") return [];
    const upTo = after ? after.revision : Number.MAX_SAFE_INTEGER;
    if (upTo === null) return [];
    const owner = whose === "agent" ? { agent: scope.agent } : scope;
    return [{ scope: owner, section: name, after: before?.revision ?? upTo - 1, upTo }];
  });
}

/**
 * The change that has to be in the prefix at once is to blame, where there is one among several: what the operator wrote
 * or anyone took back. What an agent or a user adds would have waited in the history.
 */
export function blameCacheBreak(broken: CacheBreakContext, amendments: readonly AmendmentEntry[]): CacheBreakBlame {
  const { cacheBreak: broke, at } = broken;
  const nobody = { what: broke.what, section: null, revision: null, actor: null, turn: null, reason: null };
  if (broke.what !== "section" && broke.what !== "folded") return { ...nobody, says: cacheBreakText(broken) };
  const wanted = suspects(broken);
  const found = broke.sections.map((section) => {
    const range = wanted.find((one) => one.section === section.name);
    const entries = amendments.filter((entry) => range !== undefined && isIn(entry, range) && entry.at <= at);
    return { section, entry: entries.findLast(takesBack) ?? entries.at(-1) };
  });
  const [first] = found as [(typeof found)[number]];
  const { section, entry } =
    found.find((one) => one.entry && takesBack(one.entry)) ?? found.find((one) => one.entry) ?? first;
  const about = { ...nobody, section: section.name, revision: entry?.revision ?? section.after?.revision ?? null };
  if (!entry) return { ...about, says: changeSays(broke.what, section) };
  const { actor, turn, reason } = entry;
  return { ...about, actor, turn, reason, says: handSays(broke.what, entry) };
}

function isIn({ scope, section, revision }: AmendmentEntry, range: RevisionRange): boolean {
  const same = scope.agent === range.scope.agent && scope.user === range.scope.user && section === range.section;
  return same && revision > range.after && revision <= range.upTo;
}

function takesBack({ actor, operation }: AmendmentEntry): boolean {
  return actor === "operator" || operation === "reset" || operation === "revert";
}

function cacheBreakText({ cacheBreak: broke, receiver }: CacheBreakContext): string {
  switch (broke.what) {
    case "cold":
      return `${lasting(broke.passedSeconds)} had passed since the request before; ${receiver} keeps its cache for ${lasting(broke.keptSeconds)}.`;
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

/** Where no amendment tells whose hand it was. */
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
