import fc from "fast-check";
import { expect, test } from "vitest";
import {
  assemble,
  type Charter,
  createMemoryLedger,
  defineCharter,
  empty,
  gather,
  Problem,
  type Prompt,
  propose,
  type Readings,
  type Room,
  receiptOf,
} from "../../src/index.ts";
import { rebuild } from "../../src/prompt/receipt.ts";
import { sha256 } from "../../src/store/texts/packing.ts";
import { runs } from "../tiers/search.ts";
import { always, alwaysAsync, editions, fresh, given, hostile, plain, sectionText } from "./generate.ts";

const anything = given({ words: hostile });
const ratio = fc.double({ min: 0, max: 1.1, noNaN: true });

/** A prompt as plain values, or the code of the problem it came to. */
function outcome(charter: Charter, readings: Readings, room: Room) {
  try {
    const { text, sections, spans, cuts, omitted, notices } = assemble(charter, readings, room);
    return { text, sections, spans, cuts, omitted, notices };
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

function roomOf(charter: Charter, readings: Readings, edition: "full" | "compact", share: number): Room {
  return { edition, chars: Math.floor(assemble(fresh(charter), fresh(readings), { edition }).text.length * share) };
}

test("the same charter, readings and room give the same prompt, whatever was assembled before, between and from whose objects", () => {
  always([anything, anything, editions, ratio], (one, other, edition, share) => {
    const room = roomOf(one.charter, one.readings, edition, share);
    const first = outcome(one.charter, one.readings, room);
    outcome(other.charter, other.readings, room);
    outcome(one.charter, one.readings, { edition: edition === "full" ? "compact" : "full" });
    outcome(one.charter, one.readings, { edition, chars: 0 });
    outcome(one.charter, one.readings, { edition });
    expect(outcome(one.charter, one.readings, room)).toEqual(first);
    expect(outcome(one.charter, fresh(one.readings), room)).toEqual(first);
    expect(outcome(one.charter, JSON.parse(JSON.stringify(one.readings)), room)).toEqual(first);
    expect(outcome(fresh(one.charter), fresh(one.readings), room)).toEqual(first);
  });
});

test("a prompt rebuilt from its receipt is the same, byte for byte, and every byte has its span", () => {
  always([anything, editions], ({ charter, readings }, edition) => {
    const prompt = assemble(charter, readings, { edition });
    const { receipt, texts } = receiptOf(charter, prompt, { sha256 });
    const kept = new Map(texts.map(({ digest, text }) => [digest, text]));
    const read = JSON.parse(JSON.stringify(receipt)) as typeof receipt;
    const [slot] = rebuild(read, ({ digest }) => kept.get(digest) as string);
    expect(slot).toEqual({ slot: "system", text: prompt.text, digest: prompt.digest(sha256) });
    const sections = read.slots.flatMap((one) => one.sections);
    const lengths = sections.map(({ spans }) => spans.reduce((sum, { length }) => sum + length, 0));
    expect(lengths).toEqual(sections.map(({ digest }) => kept.get(digest)?.length));
  });
});

test("other readings in between leave no trace", () => {
  always(
    [anything, fc.array(hostile, { minLength: 1, maxLength: 4 }), editions],
    ({ charter, readings }, texts, edition) => {
      const before = outcome(charter, readings, { edition });
      const changed = Object.fromEntries(
        Object.keys(readings).map((name, at) => [
          name,
          at % 3 === 0
            ? empty
            : { status: "present" as const, parts: texts.map((text, id) => ({ text, id: `${name}p${id}` })) },
        ]),
      );
      outcome(charter, changed, { edition });
      expect(outcome(charter, readings, { edition })).toEqual(before);
    },
  );
});

test("what gave way for one reading leaves no trace in what gives way for the next", () => {
  const kinds = ["fact", "exchange"];
  const turns = fc.array(fc.tuple(fc.constantFrom(1, 1, 2, 4), fc.nat(1), fc.integer({ min: 26, max: 75 })), {
    minLength: 2,
    maxLength: 4,
  });
  always([turns, editions, fc.constantFrom("", "## Title")], (all, edition, heading) => {
    const charter: Charter = {
      name: "trace",
      layers: [{ name: "l", mutability: "live", sections: [{ name: "s", heading, trust: "own", sources: [] }] }],
      givesWay: kinds.map((parts) => ({
        section: "s",
        parts,
        from: "end",
        told: `(${parts}s: {kept} kept, {missing} lost)`,
      })),
    };
    for (const [count, kind, chars] of all) {
      const parts = Array.from({ length: count }, (_, at) => ({
        text: `Part ${at} of forty characters, more or less.`,
        kind: kinds[kind] as string,
      }));
      const readings: Readings = { s: { status: "present", parts } };
      expect(outcome(charter, readings, { edition, chars })).toEqual(
        outcome(fresh(charter), readings, { edition, chars }),
      );
    }
  });
});

test("a prompt rebuilt from its parts is the same, byte for byte", () => {
  always([anything, editions], ({ charter, readings }, edition) => {
    const prompt = assemble(charter, readings, { edition });
    expect(prompt.spans.map(({ start, end }) => prompt.text.slice(start, end)).join("")).toBe(prompt.text);
    expect(prompt.sections.map(({ start, end }) => prompt.text.slice(start, end)).join("")).toBe(prompt.text);
    expect(prompt.digest(sha256)).toBe(sha256(prompt.text));
  });
});

// The prefix is stable.

const moving = given({ words: plain, trusts: ["own", "user"] });

/** The readings with other words, of other sizes, in every section that moves. */
function otherState(charter: Charter, readings: Readings, texts: readonly string[], kind: number): Readings {
  const changed: Record<string, Readings[string]> = { ...readings };
  for (const section of charter.layers.flatMap(({ sections, fallback = [] }) => [...sections, ...fallback])) {
    if ((section.stability ?? "stable") === "stable") continue;
    if (kind === 0) changed[section.name] = empty;
    else if (kind === 1) changed[section.name] = { status: "unavailable", reason: "away" };
    else
      changed[section.name] = {
        status: "present",
        parts: texts.map((text) => ({ text, kind: "fact", short: "less" })),
      };
  }
  return changed;
}

function stableTexts(charter: Charter, prompt: Prompt): Record<string, string | undefined> {
  const stable = prompt.sections.filter(({ stability }) => stability === "stable");
  return Object.fromEntries(stable.map(({ name }) => [name, sectionText(charter, prompt, name)]));
}

function attempt(charter: Charter, readings: Readings, room: Room): Prompt | undefined {
  try {
    return assemble(charter, readings, room);
  } catch (error) {
    if (error instanceof Problem && error.code === "no-room") return undefined;
    throw error;
  }
}

test("with only state and events changed, in size too, every stable section reads the same in every room", () => {
  always(
    [
      moving,
      fc.array(plain, { minLength: 1, maxLength: 3 }),
      fc.nat(2),
      editions,
      fc.integer({ min: -12, max: 12 }),
      ratio,
    ],
    ({ charter, readings }, texts, kind, edition, near, share) => {
      const other = otherState(charter, readings, texts, kind);
      const whole = assemble(charter, readings, { edition });
      const reserve = charter.layers
        .flatMap(({ sections, fallback = [] }) => [...sections, ...fallback])
        .reduce(
          (sum, section) => sum + ((section.stability ?? "stable") === "stable" ? 0 : (section.reserve?.chars ?? 0)),
          0,
        );
      const stable = Object.values(stableTexts(charter, whole)).reduce(
        (sum, text) => sum + [...(text ?? "")].length,
        0,
      );
      for (const chars of [stable + reserve + near, Math.floor(whole.text.length * share)]) {
        const one = attempt(charter, readings, { edition, chars: Math.max(0, chars) });
        const two = attempt(charter, other, { edition, chars: Math.max(0, chars) });
        if (one && two) expect(stableTexts(charter, two)).toEqual(stableTexts(charter, one));
      }
    },
  );
});

test("counterexample: a stable section gives way because the state after it speaks, since the separator between them counts as its own", () => {
  const charter = defineCharter({
    name: "prefix",
    layers: [
      {
        name: "all",
        mutability: "live",
        sections: [
          { name: "rules", trust: "own", sources: [() => empty] },
          { name: "now", trust: "own", sources: [() => empty], stability: "state", reserve: { chars: 10, tokens: 10 } },
        ],
      },
    ],
    givesWay: [{ section: "rules", from: "end", told: "(less)" }],
  });
  const rules = { status: "present" as const, parts: [{ text: "1234567890" }, { text: "1234567890" }] };
  const now = { status: "present" as const, parts: [{ text: "noon" }] };
  const room = { chars: 31 };
  const spoken = assemble(charter, { rules, now }, room);
  const silent = assemble(charter, { rules, now: empty }, room);
  expect(sectionText(charter, spoken, "rules")).toBe(sectionText(charter, silent, "rules"));
});

test("counterexample: a stable section gives way because the state between it and the next layer falls silent, and a longer separator stands there", () => {
  const charter = defineCharter({
    name: "prefix",
    separator: "\n\n---\n\n",
    layers: [
      {
        name: "first",
        mutability: "live",
        separator: "\n",
        sections: [
          { name: "rules", trust: "own", sources: [() => empty] },
          { name: "now", trust: "own", sources: [() => empty], stability: "state", reserve: { chars: 10, tokens: 10 } },
        ],
      },
      { name: "second", mutability: "live", sections: [{ name: "end", words: "The end." }] },
    ],
    givesWay: [{ section: "rules", from: "end", told: "(less)" }],
  });
  const rules = { status: "present" as const, parts: [{ text: "1234567890" }, { text: "1234567890" }] };
  const now = { status: "present" as const, parts: [{ text: "no" }] };
  for (let chars = 36; chars < 60; chars++) {
    const spoken = attempt(charter, { rules, now }, { chars });
    const silent = attempt(charter, { rules, now: empty }, { chars });
    if (spoken && silent) expect(stableTexts(charter, silent)).toEqual(stableTexts(charter, spoken));
  }
});

// One user's words never reach another's prompt.

test("words of users whose turns are interleaved over one charter stay with their users", () => {
  const turns = fc.array(fc.record({ user: fc.nat(2), edition: editions, share: ratio }), {
    minLength: 3,
    maxLength: 8,
  });
  always([given({ words: plain }), turns], ({ charter, readings }, all) => {
    const mark = (user: number) => `ofuser${user}only`;
    const own = [0, 1, 2].map((user) =>
      JSON.parse(JSON.stringify(readings).replaceAll(" counts.", ` counts ${mark(user)}.`)),
    );
    for (const { user, edition, share } of all) {
      const size = assemble(charter, own[user], { edition }).text.length;
      const told = JSON.stringify(outcome(charter, own[user], { edition, chars: Math.floor(size * share) }));
      for (const other of [0, 1, 2]) if (other !== user) expect(told).not.toContain(mark(other));
    }
  });
});

test("each user's standing words, amended through one ledger, are in that user's prompt and no other", async () => {
  const steps = fc.array(fc.tuple(fc.nat(2), fc.constantFrom("append", "prepend", "rewrite", "reset"), plain), {
    minLength: 2,
    maxLength: 8,
  });
  await alwaysAsync(
    steps,
    async (all) => {
      const charter = defineCharter({
        name: "shared",
        layers: [
          {
            name: "own",
            mutability: { amendableBy: ["user"], scope: "agent" },
            sections: [{ name: "wishes", heading: "## Wishes", original: "Nothing yet." }],
          },
        ],
      });
      const ledger = createMemoryLedger();
      const users = ["ann", "bob", "cyd"];
      const standing = new Map<string, { text: string; revision: number }>();
      for (const [at, kind, words] of all) {
        const user = users[at] as string;
        const context = {
          charter,
          ledger,
          scope: { agent: "a", user },
          rules: () => ({ guards: [] }),
          now: () => "2026-01-01T00:00:00Z",
          sha256,
        };
        const content = `${words} only${user}`;
        const operation = kind === "reset" ? { kind: "reset" as const } : { kind: kind as "append", content };
        const verdict = await propose(context, { section: "wishes", operation, actor: "user" });
        if (verdict.verdict === "accepted") standing.set(user, { text: verdict.after, revision: verdict.revision });
        const turns = users.map((name) => ({
          now: "2026-01-01T00:00:00Z",
          tools: [],
          standing: standing.has(name) ? { wishes: standing.get(name) as { text: string; revision: number } } : {},
        }));
        const prompts = await Promise.all(turns.map(async (turn) => assemble(charter, await gather(charter, turn))));
        for (const [index, name] of users.entries()) {
          expect(prompts[index]?.text).toContain(standing.get(name)?.text ?? "Nothing yet.");
          for (const other of users) if (other !== name) expect(prompts[index]?.text).not.toContain(`only${other}`);
        }
      }
      for (const user of users)
        for (const row of await ledger.history({ agent: "a", user }, "wishes")) expect(row.scope.user).toBe(user);
    },
    runs(15, 500),
  );
});
