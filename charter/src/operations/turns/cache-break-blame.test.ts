import { expect, test } from "vitest";
import type { CacheBreak, ChangedSection } from "../../delivery/cache-break.ts";
import type { SentSection } from "../../prompt/receipt.ts";
import type { AmendmentEntry } from "../../store/amendments/amendments.ts";
import { blameCacheBreak, type CacheBreakBlame, type CacheBreakContext, suspects } from "./samples.ts";

const at = "2026-02-18T12:00:00.000Z";
const scope = { agent: "ada", user: "bo" };
const broken = (cacheBreak: CacheBreak): CacheBreakContext => ({ scope, at, receiver: "openai/gpt-5", cacheBreak });

function sent(name: string, revision: number | null, about: Partial<SentSection> = {}): SentSection {
  const usual = { layer: "l", mutability: "amendable", stability: "stable", trust: "own", source: "s" } as const;
  return { name, ...usual, revision, digest: `${name}${revision}`, whose: "agent", tokens: 1, spans: [], ...about };
}

function changed(before: SentSection | null, after: SentSection | null): ChangedSection {
  return { name: (after ?? before)?.name as string, before, after };
}

function amended(section: string, revision: number, about: Partial<AmendmentEntry> = {}): AmendmentEntry {
  const usual = { operation: "rewrite", actor: "operator", turn: null, at, reason: null } as const;
  const proof = { previous: "", digest: "", erasedAt: null };
  return { scope: { agent: "ada" }, section, revision, ...usual, ...proof, ...about };
}

const sections = (what: "section" | "folded", first: ChangedSection, ...more: ChangedSection[]): CacheBreak => ({
  what,
  sections: [first, ...more],
});

const nobody = { section: null, revision: null, actor: null, turn: null, reason: null };

const plain: [CacheBreak, says: string][] = [
  [{ what: "opened" }, "It opened a new session."],
  [{ what: "tools" }, "The tools changed, and everything that is cached comes after them."],
  [{ what: "compacted" }, "The history was compacted: a summary took the place of its messages."],
  [
    { what: "cold", passedSeconds: 301, keptSeconds: 300 },
    "5 minutes had passed since the request before; openai/gpt-5 keeps its cache for 5 minutes.",
  ],
  [
    { what: "cold", passedSeconds: 200_000, keptSeconds: 90 },
    "2 days had passed since the request before; openai/gpt-5 keeps its cache for 90 seconds.",
  ],
];
for (const [broke, says] of plain)
  test(`nobody in particular: ${says}`, () => {
    expect(suspects(broken(broke))).toEqual([]);
    expect(blameCacheBreak(broken(broke), [])).toEqual({ ...nobody, what: broke.what, says });
  });

const words: [what: string, CacheBreak, section: string, revision: number | null, says: string][] = [
  [
    "fixed words",
    sections(
      "section",
      changed(sent("law", null, { mutability: "fixed" }), sent("law", null, { mutability: "fixed" })),
    ),
    "law",
    null,
    "The charter changed the fixed text of “law”.",
  ],
  [
    "a clock in the middle",
    sections(
      "section",
      changed(
        sent("clock", null, { mutability: "live", stability: "state" }),
        sent("clock", null, { mutability: "live", stability: "state" }),
      ),
    ),
    "clock",
    null,
    "“clock” is generated per turn and comes before the rest of the prompt.",
  ],
  [
    "words that are made afresh",
    sections(
      "section",
      changed(sent("tools", null, { mutability: "live" }), sent("tools", null, { mutability: "live" })),
    ),
    "tools",
    null,
    "“tools” is generated per turn, and its text changed.",
  ],
  [
    "a section that came",
    sections("section", changed(null, sent("soul", 0))),
    "soul",
    0,
    "“soul” was added to the prompt.",
  ],
  [
    "a section that went",
    sections("section", changed(sent("soul", 1), null)),
    "soul",
    null,
    "“soul” is no longer in the prompt.",
  ],
  [
    "the mark",
    sections(
      "section",
      changed(
        sent("mark", null, { layer: "delivery", mutability: "live" }),
        sent("mark", null, { layer: "delivery", mutability: "live" }),
      ),
    ),
    "mark",
    null,
    "The session has a new mark: somebody's text contained the old one.",
  ],
  [
    "a fold of its own",
    sections("folded", changed(sent("goals", 1), sent("goals", 2))),
    "goals",
    2,
    "The update of “goals” was moved into the system prompt.",
  ],
];
for (const [what, broke, section, revision, says] of words)
  test(`without an amendment to blame, ${what}`, () => {
    expect(blameCacheBreak(broken(broke), [])).toEqual({ ...nobody, what: broke.what, section, revision, says });
  });

test("who is to blame is looked for among the amendments since, of whose copy it is", () => {
  const wishes = { whose: "user" } as const;
  const broke = sections(
    "section",
    changed(sent("soul", 1), sent("soul", 3)),
    changed(sent("wishes", 0, wishes), sent("wishes", 2, wishes)),
    changed(null, sent("goals", 4)),
    changed(sent("past", 2), null),
    changed(sent("law", null, { mutability: "fixed" }), sent("law", null, { mutability: "fixed" })),
  );
  expect(suspects(broken(broke))).toEqual([
    { scope: { agent: "ada" }, section: "soul", after: 1, upTo: 3 },
    { scope, section: "wishes", after: 0, upTo: 2 },
    { scope: { agent: "ada" }, section: "goals", after: 3, upTo: 4 },
    { scope: { agent: "ada" }, section: "past", after: 2, upTo: Number.MAX_SAFE_INTEGER },
  ]);
});

const soul = sections("section", changed(sent("soul", 1), sent("soul", 3)));

const hands: [what: string, CacheBreak, AmendmentEntry[], Partial<CacheBreakBlame>][] = [
  [
    "the newest change",
    soul,
    [amended("soul", 2), amended("soul", 3, { reason: "Too curt." })],
    { section: "soul", revision: 3, actor: "operator", says: "The operator changed “soul” (revision 3): “Too curt.”" },
  ],
  [
    "the one that could not wait",
    soul,
    [amended("soul", 2), amended("soul", 3, { actor: "agent", turn: "t9" })],
    { section: "soul", revision: 2, actor: "operator", says: "The operator changed “soul” (revision 2)." },
  ],
  [
    "of several sections the one that could not wait",
    sections(
      "section",
      changed(sent("soul", 1), sent("soul", 2)),
      changed(sent("wishes", 0, { whose: "user" }), sent("wishes", 1, { whose: "user" })),
    ),
    [
      amended("soul", 2, { actor: "agent" }),
      amended("wishes", 1, { scope, actor: "user", operation: "reset", turn: "t7", reason: "Start over." }),
    ],
    {
      ...{ section: "wishes", revision: 1, actor: "user", turn: "t7", reason: "Start over." },
      says: "bo reset “wishes” (revision 1) in turn t7: “Start over.”",
    },
  ],
  [
    "an agent's own hand, and nothing that came later",
    soul,
    [amended("soul", 2, { actor: "agent", turn: "t1" }), amended("soul", 3, { at: "2026-02-18T12:00:00.001Z" })],
    {
      section: "soul",
      revision: 2,
      actor: "agent",
      turn: "t1",
      says: "The agent changed “soul” (revision 2) in turn t1.",
    },
  ],
  [
    "nobody's copy but this one",
    soul,
    [amended("soul", 2, { scope }), amended("goals", 2), amended("soul", 1), amended("soul", 4)],
    { section: "soul", revision: 3, says: "The text of “soul” changed." },
  ],
  [
    "who changed what was folded",
    sections("folded", changed(sent("goals", 1), sent("goals", 2))),
    [amended("goals", 2, { actor: "agent", operation: "append", turn: "t3", reason: "Asked to." })],
    {
      ...{ section: "goals", revision: 2, actor: "agent", turn: "t3", reason: "Asked to." },
      says: "The update of “goals” was moved into the system prompt. The agent changed it (revision 2) in turn t3: “Asked to.”",
    },
  ],
  [
    "who took words back that are gone",
    sections("section", changed(sent("soul", 1), null)),
    [amended("soul", 2, { operation: "revert" })],
    { section: "soul", revision: 2, actor: "operator", says: "The operator reverted “soul” (revision 2)." },
  ],
];
for (const [what, broke, entries, expected] of hands)
  test(`to blame is ${what}`, () => {
    const { reason = entries.find(({ revision }) => revision === expected.revision)?.reason ?? null } = expected;
    expect(blameCacheBreak(broken(broke), entries)).toEqual({ ...nobody, what: broke.what, ...expected, reason });
  });
