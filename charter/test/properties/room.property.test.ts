import fc from "fast-check";
import { expect, test } from "vitest";
import { loadTokenizer } from "../../src/delivery/tokenizer.ts";
import {
  assemble,
  type Charter,
  countCharacters,
  defineCharter,
  empty,
  type GivesWayRule,
  type Part,
  Problem,
  type Prompt,
  type Reading,
  type Readings,
  type Room,
} from "../../src/index.ts";
import { always, editions, given, hostile, markOf, plain, sectionsOf } from "./generate.ts";

const tokenizer = await loadTokenizer("o200k_base");

/** The prompt, or the problem that there is no room for it. */
function attempt(charter: Charter, readings: Readings, room: Room): Prompt | undefined {
  try {
    return assemble(charter, readings, { tokenizer, ...room });
  } catch (error) {
    if (error instanceof Problem && error.code === "no-room") return undefined;
    throw error;
  }
}

const share = fc.double({ min: 0.2, max: 1.05, noNaN: true });
const limits = fc.record({ chars: fc.option(share, { nil: undefined }), tokens: fc.option(share, { nil: undefined }) });

function roomOf(
  charter: Charter,
  readings: Readings,
  edition: "full" | "compact",
  shares: { chars: number | undefined; tokens: number | undefined },
): Room {
  const whole = assemble(charter, readings, { edition });
  return {
    edition,
    ...(shares.chars === undefined ? {} : { chars: Math.floor(countCharacters(whole.text) * shares.chars) }),
    ...(shares.tokens === undefined ? {} : { tokens: Math.floor(tokenizer.count(whole.text) * shares.tokens) }),
  };
}

test("a prompt never exceeds its room, in characters, in tokens, in both at once", () => {
  always([given({ words: hostile }), editions, limits], ({ charter, readings }, edition, shares) => {
    const room = roomOf(charter, readings, edition, shares);
    const prompt = attempt(charter, readings, room);
    if (!prompt) return;
    if (room.chars !== undefined) expect([...prompt.text].length).toBeLessThanOrEqual(room.chars);
    if (room.tokens !== undefined) expect(tokenizer.count(prompt.text)).toBeLessThanOrEqual(room.tokens);
  });
});

test("what fits is not cut: without reserves, a room as large as the whole prompt changes nothing", () => {
  always([given({ words: hostile, stabilities: ["stable"] }), editions], ({ charter, readings }, edition) => {
    const whole = assemble(charter, readings, { edition });
    const room = roomOf(charter, readings, edition, { chars: 1, tokens: 1 });
    expect(attempt(charter, readings, room)?.text).toBe(whole.text);
  });
});

// What gives way: plain words with marks, so that this file sees by itself what is there.

const whole = 0;
const short = 1;
const gone = 2;

const plainCharters = given({
  words: plain,
  trusts: ["own", "user", "foreign"],
  statuses: ["present", "present", "present", "empty"],
  forms: false,
});
const withShorts = plainCharters.map(({ charter, readings }) => ({
  charter,
  readings: Object.fromEntries(
    Object.entries(readings).map(([name, reading]): [string, Reading] => [
      name,
      reading.status !== "present"
        ? reading
        : {
            status: "present",
            parts: reading.parts.map((part, at) => (at % 2 === 0 ? { ...part, short: `Y${part.id}Y` } : part)),
          },
    ]),
  ),
}));

function formsOf(prompt: Prompt, name: string, parts: readonly Part[]): number[] {
  return parts.map((part, index) =>
    prompt.text.includes(markOf(name, index)) ? whole : part.short && prompt.text.includes(part.short) ? short : gone,
  );
}

const partsOf = (readings: Readings, name: string) => {
  const reading = readings[name];
  return reading?.status === "present" ? reading.parts : [];
};
const concerns = (rule: GivesWayRule, part: Part) => rule.parts === undefined || rule.parts === part.kind;

/** The parts that went only because the one they stand under went. */
function isOrphan(parts: readonly Part[], forms: readonly number[], index: number): boolean {
  for (let at = parts[index]?.parent; at !== undefined; ) {
    const parent = parts.findIndex((part) => part.id === at);
    if (parent === -1) return false;
    if (forms[parent] === gone) return true;
    at = parts[parent]?.parent;
  }
  return false;
}

test("only what the charter lets give way is ever cut, and `keep` of it never", () => {
  always([withShorts, limits], ({ charter, readings }, shares) => {
    const prompt = attempt(charter, readings, roomOf(charter, readings, "full", shares));
    if (!prompt) return;
    for (const { name } of prompt.sections) {
      const parts = partsOf(readings, name);
      const forms = formsOf(prompt, name, parts);
      const rules = (charter.givesWay ?? []).filter((rule) => rule.section === name);
      for (const [index, part] of parts.entries()) {
        if (forms[index] === whole || isOrphan(parts, forms, index)) continue;
        const rule = rules.find((one) => concerns(one, part));
        expect(rule).toBeDefined();
        if (rule?.to === "short") expect(forms[index]).toBe(short);
      }
      for (const rule of rules) {
        const own = parts.flatMap((part, index) => (concerns(rule, part) ? [index] : []));
        const left = own.filter((index) => forms[index] === whole || isOrphan(parts, forms, index));
        expect(left.length).toBeGreaterThanOrEqual(Math.min(rule.keep ?? 0, own.length));
        if (own.some((index) => parts[index]?.parent !== undefined)) continue;
        const ordered = rule.from === "start" ? own.toReversed() : own;
        for (const index of ordered.slice(0, rule.keep ?? 0)) expect(forms[index]).toBe(whole);
      }
    }
    for (const { section } of sectionsOf(charter))
      if (section.words !== undefined && prompt.sections.some(({ name }) => name === section.name))
        expect(prompt.text).toContain(section.words);
  });
});

test("each cut is told in the text, with true numbers, and reported: kept and missing are all there were", () => {
  always([withShorts, limits], ({ charter, readings }, shares) => {
    const prompt = attempt(charter, readings, roomOf(charter, readings, "full", shares));
    if (!prompt) return;
    for (const { section, layer } of sectionsOf(charter)) {
      if (!prompt.sections.some(({ name }) => name === section.name)) continue;
      expect(layer).toBeDefined();
      const parts = partsOf(readings, section.name);
      const forms = formsOf(prompt, section.name, parts);
      for (const rule of (charter.givesWay ?? []).filter((one) => one.section === section.name)) {
        const own = parts.flatMap((part, index) => (concerns(rule, part) ? [index] : []));
        const missing = own.filter((index) => forms[index] !== whole).length;
        const orphans = own.filter((index) => isOrphan(parts, forms, index)).length;
        const prefix = rule.told.slice(0, rule.told.indexOf("{"));
        const told = prompt.text.split("\n").filter((line) => line.replace("> ", "").startsWith(prefix));
        const cuts = prompt.cuts.filter((cut) => cut.section === section.name && cut.unit === (rule.parts ?? "parts"));
        if (missing - orphans > 0) {
          const line = rule.told.replace("{kept}", String(own.length - missing)).replace("{missing}", String(missing));
          expect(told).toEqual([line]);
          expect(cuts.at(-1)).toMatchObject({ kept: own.length - missing, missing });
        }
        for (const cut of cuts) expect(cut.kept + cut.missing).toBe(own.length);
        if (missing === 0) expect([...told, ...cuts]).toEqual([]);
      }
    }
  });
});

test("rules speak in the charter's order: a later one only when the earlier is exhausted", () => {
  always([withShorts, share], ({ charter, readings }, chars) => {
    const prompt = attempt(charter, readings, roomOf(charter, readings, "full", { chars, tokens: undefined }));
    if (!prompt) return;
    const stabilityOf = new Map(prompt.sections.map(({ name, stability }) => [name, stability === "stable"]));
    for (const stable of [true, false]) {
      let spoken = false;
      for (const rule of (charter.givesWay ?? []).toReversed()) {
        if (stabilityOf.get(rule.section) !== stable) continue;
        const parts = partsOf(readings, rule.section);
        const forms = formsOf(prompt, rule.section, parts);
        const own = parts.flatMap((part, index) => (concerns(rule, part) ? [index] : []));
        const mayGo = (rule.from === "start" ? own : own.toReversed()).slice(
          0,
          Math.max(0, own.length - (rule.keep ?? 0)),
        );
        const most = (index: number) =>
          rule.to !== "short" ? gone : parts[index]?.short !== undefined ? short : whole;
        const spared = rule.keep !== undefined && own.some((index) => parts[index]?.parent !== undefined);
        if (spoken && !spared) for (const index of mayGo) expect(forms[index]).toBeGreaterThanOrEqual(most(index));
        spoken ||= mayGo.some((index) => forms[index] !== whole && !isOrphan(parts, forms, index));
      }
    }
  });
});

test("within a rule, parts go from the end it names, all shortened before any is left out", () => {
  always([withShorts, share], ({ charter, readings }, chars) => {
    const prompt = attempt(charter, readings, roomOf(charter, readings, "full", { chars, tokens: undefined }));
    if (!prompt) return;
    for (const rule of charter.givesWay ?? []) {
      const parts = partsOf(readings, rule.section);
      if (
        parts.some(({ parent }) => parent !== undefined) ||
        !prompt.sections.some(({ name }) => name === rule.section)
      )
        continue;
      const own = parts.flatMap((part, index) => (concerns(rule, part) ? [index] : []));
      const order = (rule.from === "start" ? own : own.toReversed()).slice(
        0,
        Math.max(0, own.length - (rule.keep ?? 0)),
      );
      const forms = formsOf(prompt, rule.section, parts);
      const went = order.map((index) => forms[index] === gone);
      expect(went).toEqual([...went].sort((a, b) => Number(b) - Number(a)));
      const shortened = order
        .filter((index) => parts[index]?.short !== undefined)
        .map((index) => forms[index] !== whole);
      expect(shortened).toEqual([...shortened].sort((a, b) => Number(b) - Number(a)));
      if (went.includes(true)) expect(shortened).not.toContain(false);
    }
  });
});

/** Do state and events stay within what they were promised? If not, stable words may leave too little for them. */
function keepsPromise(charter: Charter, prompt: Prompt, inTokens: boolean): boolean {
  const reserves = sectionsOf(charter).map(({ section }) =>
    section.stability === "stable" ? undefined : section.reserve,
  );
  const promised = reserves.reduce((sum, reserve) => sum + ((inTokens ? reserve?.tokens : reserve?.chars) ?? 0), 0);
  const moving = prompt.sections.filter(({ stability }) => stability !== "stable");
  const used = moving.map(({ start, end }) => prompt.text.slice(start, end));
  return used.reduce((sum, text) => sum + (inTokens ? tokenizer.count(text) : countCharacters(text)), 0) <= promised;
}

test("more room never shows less of anything", () => {
  always([withShorts, share, share, fc.boolean()], ({ charter, readings }, one, other, inTokens) => {
    const [less, more] = [Math.min(one, other), Math.max(one, other)].map((part) =>
      attempt(
        charter,
        readings,
        roomOf(
          charter,
          readings,
          "full",
          inTokens ? { chars: undefined, tokens: part } : { chars: part, tokens: undefined },
        ),
      ),
    );
    if (!less || (!more && !keepsPromise(charter, less, inTokens))) return;
    expect(more).toBeDefined();
    for (const { name, stability } of less.sections) {
      // More room goes to stable words first; state beyond what it is promised may get less of it.
      if (stability !== "stable" && !keepsPromise(charter, less, inTokens)) continue;
      const parts = partsOf(readings, name);
      const [small, large] = [formsOf(less, name, parts), formsOf(more as Prompt, name, parts)];
      for (const [index, form] of large.entries()) expect(form).toBeLessThanOrEqual(small[index] as number);
    }
  });
});

test("a section's own limit shows its first characters, tells how many there are, and reports the rest", () => {
  const text = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
    .map((words) => words.replace(/[\0\ufeff\u0085]/g, "x"));
  always([fc.array(text, { minLength: 1, maxLength: 4 }), fc.nat(100)], (texts, chars) => {
    const charter = limited(chars);
    const prompt = assemble(charter, { s: { status: "present", parts: texts.map((text) => ({ text })) } });
    const all = [...texts.join("")];
    if (all.length <= chars) {
      expect(prompt.text).toBe(texts.join(""));
      expect(prompt.cuts).toEqual([]);
      return;
    }
    expect(prompt.text).toBe(`${all.slice(0, chars).join("")}(${chars} of ${all.length - chars})`);
    expect(prompt.cuts).toMatchObject([
      { section: "s", form: "shorter", kept: chars, missing: all.length - chars, unit: "characters" },
    ]);
  });
});

function limited(chars: number): Charter {
  const section = {
    name: "s",
    trust: "own" as const,
    sources: [],
    separator: "",
    limit: { chars, told: "({kept} of {missing})" },
  };
  return defineCharter({ name: "limited", layers: [{ name: "l", mutability: "live", sections: [section] }] });
}

// Stories of what was found.

const oneLayer = (sections: Charter["layers"][number]["sections"], givesWay: readonly GivesWayRule[]) =>
  defineCharter({ name: "c", layers: [{ name: "l", mutability: "live", sections }], givesWay });

test("counterexample: the line that tells of a cut in tokens does not push the prompt over its limit in characters", () => {
  const charter = oneLayer(
    [{ name: "s", trust: "own", sources: [] }],
    [{ section: "s", from: "end", told: "(some of the words that stood here were left out to fit)" }],
  );
  const parts = ["𒀀𒀁𒀂𒀃𒀄𒀅𒀆𒀇𒀈𒀉", "𒁀𒁁𒁂𒁃𒁄𒁅𒁆𒁇𒁈𒁉"].map((text) => ({ text }));
  const prompt = attempt(charter, { s: { status: "present", parts } }, { chars: 30, tokens: 50 });
  if (prompt) expect(countCharacters(prompt.text)).toBeLessThanOrEqual(30);
});

test("counterexample: a part two steps under one that goes, goes with it", () => {
  const charter = oneLayer(
    [{ name: "s", trust: "own", sources: [] }],
    [{ section: "s", parts: "person", from: "end", told: "(people: {missing})" }],
  );
  const parts = [
    { text: "Ann, who wrote a rather long letter to us all", id: "ann", kind: "person" },
    { text: "A thread.", id: "thread", parent: "ann" },
    { text: "A message.", id: "message", parent: "thread" },
  ];
  expect(attempt(charter, { s: { status: "present", parts } }, { chars: 40 })?.text).toBe("(people: 1)");
});

test("counterexample: a part under one that the compact edition leaves out goes with it", () => {
  const charter = oneLayer(
    [{ name: "s", trust: "own", sources: [] }],
    [{ section: "s", parts: "person", from: "end", told: "(people: {missing})" }],
  );
  const parts = [
    { text: "Ann", id: "ann", kind: "person", edition: "full" as const },
    { text: "A message.", parent: "ann" },
  ];
  expect(assemble(charter, { s: { status: "present", parts } }, { edition: "compact" }).text).toBe("(people: 1)");
});

test("counterexample: kept parts that go with their parent are not reported as kept", () => {
  const charter = oneLayer(
    [{ name: "s", trust: "own", sources: [] }],
    [
      { section: "s", parts: "message", from: "start", keep: 1, told: "(messages: {kept} kept, {missing} not)" },
      { section: "s", parts: "person", from: "end", told: "(people: {missing})" },
    ],
  );
  const parts = [
    { text: "Ann, of whom we know only this one name", id: "ann", kind: "person" },
    { text: "An old message of quite some length, long enough to matter", kind: "message", parent: "ann" },
    { text: "A new message of quite some length, long enough to matter", kind: "message", parent: "ann" },
  ];
  const prompt = attempt(charter, { s: { status: "present", parts } }, { chars: 60 });
  expect(prompt?.cuts.find(({ unit }) => unit === "message")).toMatchObject({ kept: 0, missing: 2 });
});

test("counterexample: characters and tokens both short: one told line a rule, with the numbers that are true in the end", () => {
  const charter = oneLayer(
    [{ name: "s", trust: "own", sources: [] }],
    [{ section: "s", from: "end", told: "({kept} kept, {missing} not)" }],
  );
  const parts = [
    "plain words, plain words, plain words, plain words",
    "𒀀𒀁𒀂𒀃𒀄𒀅𒀆𒀇𒀈𒀉𒀊𒀋𒀌𒀍𒀎𒀏𒀐𒀑𒀒𒀓",
    "other words, other words, other words",
  ];
  const prompt = attempt(
    charter,
    { s: { status: "present", parts: parts.map((text) => ({ text })) } },
    { chars: 100, tokens: 40 },
  );
  expect(prompt?.text).toBe(`${parts[0]}\n(1 kept, 2 not)`);
});

test("counterexample: the parent of a part that is kept may still be shortened", () => {
  const charter = oneLayer(
    [{ name: "s", trust: "own", sources: [] }],
    [{ section: "s", from: "start", to: "short", keep: 1, told: "({missing} shorter)" }],
  );
  const parts = [
    { text: "Ann, who wrote a rather long letter to us all", short: "Ann", id: "ann" },
    { text: "A message.", parent: "ann" },
  ];
  expect(attempt(charter, { s: { status: "present", parts } }, { chars: 40 })?.text).toBe(
    "(1 shorter)\nAnn\nA message.",
  );
});

test("a prompt that cannot fit is a problem that names the largest sections, whatever the room", () => {
  always([plainCharters, fc.nat(60)], ({ charter, readings }, chars) => {
    try {
      expect(countCharacters(assemble(charter, readings, { chars }).text)).toBeLessThanOrEqual(chars);
    } catch (error) {
      expect(error).toMatchObject({ code: "no-room" });
      expect((error as Problem).message).toMatch(/Largest: “s\d+” \d+/);
    }
  });
});

test("nothing read is nothing cut", () => {
  const charter = oneLayer([{ name: "s", trust: "own", sources: [] }], [{ section: "s", from: "end", told: "(less)" }]);
  expect(assemble(charter, { s: empty }, { chars: 0 })).toMatchObject({ text: "", cuts: [] });
});
