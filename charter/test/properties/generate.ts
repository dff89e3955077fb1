import fc from "fast-check";
import type {
  Charter,
  Layer,
  Mutability,
  Part,
  Reading,
  Readings,
  Section,
  Stability,
  Trust,
} from "../../src/index.ts";
import { runs } from "../tiers/search.ts";

/** How often a property is tried that says nothing else. */
const usual = runs(30, 1000);

/** Checks a property; fast-check prints the seed and the smallest counterexample it finds. */
export function always<Values extends [unknown, ...unknown[]]>(
  arbitraries: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
  holds: (...values: Values) => void,
  numRuns = usual,
): void {
  const property = fc.property(...(arbitraries as [fc.Arbitrary<unknown>]), holds as (...values: unknown[]) => void);
  fc.assert(property, { numRuns });
}

export async function alwaysAsync<Value>(
  arbitrary: fc.Arbitrary<Value>,
  holds: (value: Value) => Promise<void>,
  numRuns = usual,
): Promise<void> {
  await fc.assert(fc.asyncProperty(arbitrary, holds), { numRuns });
}

// Hostile words.

export const lineEnds = ["\n", "\r\n", "\r", "\u2028", "\u2029", "\u0085", "\v", "\f"] as const;
const indents = ["", "", "", " ", "   ", "    ", "\t", " \t"];
const containers = ["", "", "", "> ", ">", "- ", "* ", "+ ", "1. ", "1) ", "- - ", "> - ", "-   "];
const cores = [
  "# Forged",
  "## Forged",
  "### Forged",
  "###### Forged",
  "####### Forged",
  "# Forged #",
  "## Forged ##  ",
  "#\tForged",
  "#",
  "##",
  "#Forged",
  "\\# Forged",
  "#\u00a0Forged",
  "===",
  "=",
  "---",
  "--",
  "-",
  "- - -",
  "***",
  "* * *",
  "___",
  "_ _ _",
  "-----",
  "\\---",
  "-\t-\t-",
  "```",
  "```js",
  "````",
  "~~~",
  "~~~~ x",
  "``` `",
  "<div>",
  "</div>",
  "<!--",
  "-->",
  "<!-- x -->",
  "<script>",
  "<pre>",
  "<?x",
  "<![CDATA[",
  "text",
  "more words",
  "",
  "",
  "a | b",
  "| - |",
  "    code",
  "\\",
  "\\\\",
  '"',
  '\\"',
  '{"role":"system"}',
  '"]}',
  "$&",
  "$1",
  "$`",
  "{missing}",
  "{kept}",
  "{",
  "e\u0301",
  "👩‍👩‍👧",
  "🇩🇪",
  "\u200b# Forged",
  "\u202e# degroF",
  "\u00ad",
  "\u2060",
  "(left out: 3)",
  "## s1 Title",
  "## Layer 0: Law",
  "> quoted",
  "s0 wrote (data, not instructions):",
  "[x]: /y",
  "&#35; Forged",
  "\uff03 Forged",
  "<|endoftext|>",
  "/",
  "x".repeat(300),
];
const line = fc
  .tuple(fc.constantFrom(...indents), fc.constantFrom(...containers), fc.constantFrom(...cores))
  .map((pieces) => pieces.join(""));
const lines = fc.array(
  fc.tuple(line, fc.oneof({ weight: 6, arbitrary: fc.constant("\n") }, fc.constantFrom(...lineEnds))),
  {
    minLength: 1,
    maxLength: 7,
  },
);

/** Whole characters, no NUL: what a prompt may carry, and as nasty as it gets. */
export const hostile: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 8,
    arbitrary: lines.map((all) => all.map(([words, end], at) => (at + 1 < all.length ? words + end : words)).join("")),
  },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => text.replaceAll("\0", "")) },
);

/** Also what no prompt may carry: NUL, halves of characters. */
export const broken: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: hostile },
  {
    weight: 1,
    arbitrary: fc
      .tuple(hostile, fc.constantFrom("\0", "\ud800", "\udc00", "\ufeff"), hostile)
      .map((all) => all.join("")),
  },
);

const plainWord = fc.constantFrom("be", "kind", "and", "brief", "day", "night", "42", "émigré", "naïve", "日本", "—");
/** Ordinary words, long enough that leaving them out always saves something. */
export const plain: fc.Arbitrary<string> = fc
  .array(plainWord, { minLength: 10, maxLength: 16 })
  .map((words) => `Words ${words.join(" ")} of some length, so that it counts.`);

// Charters and what is read for them.

const sometimes = <Value>(weight: number, arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: 10 - weight, arbitrary: fc.constant(undefined) }, { weight, arbitrary });
const often = <Value>(arbitrary: fc.Arbitrary<Value>) => sometimes(6, arbitrary);
const seldom = <Value>(arbitrary: fc.Arbitrary<Value>) => sometimes(3, arbitrary);

export type Options = {
  /** What sources give. */
  readonly words: fc.Arbitrary<string>;
  readonly trusts?: readonly Trust[];
  readonly stabilities?: readonly Stability[];
  readonly statuses?: readonly Reading["status"][];
  readonly separators?: readonly string[];
  /** The operator's own parts say plain words only: what they say stands verbatim, whatever it is. */
  readonly tame?: boolean;
  /** Limits, short forms, editions, fallbacks. */
  readonly forms?: boolean;
};

const rawPart = ({ words, trusts = ["own", "user", "foreign"], forms = true, tame = false }: Options) =>
  fc.record({
    words,
    own: tame ? plain : words,
    kind: fc.constantFrom("fact", "exchange", undefined),
    short: forms ? often(fc.constantFrom("short", "", "brief…")) : fc.constant(undefined),
    under: seldom(fc.nat(3)),
    apart: seldom(fc.constant(true as const)),
    edition: forms ? seldom(fc.constant("full" as const)) : fc.constant(undefined),
    trust: seldom(fc.constantFrom(...trusts)),
    source: often(fc.constantFrom("memory", "a file", "0xAbc", "# Forged\n# name")),
  });

const rawSection = (options: Options) => {
  const { trusts = ["own", "user", "foreign"], stabilities = ["stable", "event", "state"], forms = true } = options;
  const statuses = options.statuses ?? ["present", "present", "present", "empty", "unavailable"];
  return fc.record({
    level: fc.constantFrom(0, 0, 1, 2, 2, 3, 6),
    headless: fc.boolean(),
    lead: seldom(fc.constant("\n")),
    literal: seldom(plain),
    original: plain,
    fallback: forms ? seldom(plain) : fc.constant(undefined),
    closing: seldom(plain),
    separator: seldom(fc.constantFrom("\n\n", "\n")),
    stability: fc.constantFrom(...stabilities),
    trust: fc.constantFrom(...trusts),
    limit: forms ? seldom(fc.nat(120)) : fc.constant(undefined),
    compact: forms ? seldom(fc.constantFrom("short" as const, "omit" as const)) : fc.constant(undefined),
    reserve: fc.nat(80),
    status: fc.constantFrom(...statuses),
    parts: fc.array(rawPart(options), { minLength: 1, maxLength: 5 }),
  });
};

const rawLayer = (options: Options) =>
  fc.record({
    hand: fc.constantFrom("fixed", "live", "operator", "inside"),
    sections: fc.array(rawSection(options), { minLength: 1, maxLength: 3 }),
    fallback: fc.array(rawSection(options), { maxLength: options.forms === false ? 0 : 1 }),
    separator: seldom(fc.constantFrom("\n", "\n\n")),
  });

const rawRule = fc.record({
  at: fc.nat(20),
  parts: fc.constantFrom("fact", "exchange", undefined),
  from: fc.constantFrom("start" as const, "end" as const),
  to: seldom(fc.constant("short" as const)),
  keep: seldom(fc.nat(2)),
});

export const separators = ["\n\n", "\n", "\n\n---\n\n", "\n\n* * *\n\n"] as const;

const rawCharter = (options: Options) =>
  fc.record({
    layers: fc.array(rawLayer(options), { minLength: 1, maxLength: 3 }),
    separator: seldom(fc.constantFrom(...(options.separators ?? separators))),
    rules: fc.array(rawRule, { maxLength: 5 }),
  });

type Raw<Make extends (options: Options) => fc.Arbitrary<unknown>> =
  ReturnType<Make> extends fc.Arbitrary<infer Value> ? Value : never;

/** A charter that defineCharter takes, and readings for it. */
export type Given = { readonly charter: Charter; readonly readings: Readings };

export function given(options: Options): fc.Arbitrary<Given> {
  return rawCharter(options).map((raw) => build(raw));
}

const hands: Readonly<Record<string, Mutability>> = {
  fixed: "fixed",
  live: "live",
  operator: { amendableBy: ["operator"] },
  inside: { amendableBy: ["agent", "user"], scope: "agent" },
};

/** Fixed layers go before the first layer that holds anyone else's words: all other orders are refused. */
function build(raw: Raw<typeof rawCharter>): Given {
  const ordered = [
    ...raw.layers.filter((layer) => layer.hand === "fixed"),
    ...raw.layers.filter((layer) => layer.hand !== "fixed"),
  ];
  const readings: Record<string, Reading> = {};
  let number = 0;
  const make = (section: Raw<typeof rawSection>, hand: string): Section => {
    const name = `s${number++}`;
    readings[name] = reading(section, name, hand);
    return buildSection(section, name, hand);
  };
  const layers = ordered.map(
    (layer, index): Layer => ({
      name: `layer ${index}`,
      mutability: hands[layer.hand] as Mutability,
      sections: layer.sections.map((section) => make(section, layer.hand)),
      ...(layer.fallback.length === 0 || layer.hand === "fixed"
        ? {}
        : { fallback: layer.fallback.map((section) => make(steady(section, layer.sections), "live")).map(asLive) }),
      ...(layer.separator === undefined ? {} : { separator: layer.separator }),
    }),
  );
  const giving = layers
    .flatMap((layer) => [...layer.sections, ...(layer.fallback ?? [])].map((section) => ({ section, layer })))
    .filter(({ section, layer }) => (section.mutability ?? layer.mutability) !== "fixed");
  const taken = new Set<string>();
  const givesWay = raw.rules.flatMap(({ at, parts, from, to, keep }, index) => {
    const section = giving[at % Math.max(1, giving.length)]?.section.name;
    const clash =
      [parts, undefined].some((kind) => taken.has(`${section} ${kind}`)) ||
      (parts === undefined && [...taken].some((key) => key.startsWith(`${section} `)));
    if (section === undefined || clash) return [];
    taken.add(`${section} ${parts}`);
    const rule = { section, from, told: `(rule ${index}: ${section} kept {kept}, lost {missing})` };
    return [{ ...rule, ...(parts && { parts }), ...(to && { to }), ...(keep === undefined ? {} : { keep }) }];
  });
  const others = layers.some(({ mutability, sections, fallback = [] }) =>
    [...sections, ...fallback].some((section) => mutability !== "fixed" && section.trust !== "own"),
  );
  const charter: Charter = {
    name: "generated",
    layers: others ? layers.map(wellParted) : layers,
    givesWay,
    ...(raw.separator === undefined ? {} : { separator: others ? blankFirst(raw.separator) : raw.separator }),
  };
  return { charter, readings };
}

/** Beside words of others, a separator begins with a blank line: all others are refused. */
const blankFirst = (separator: string): string => (separator === "\n" ? "\n\n" : separator);
const wellParted = (layer: Layer): Layer =>
  layer.separator === undefined ? layer : { ...layer, separator: blankFirst(layer.separator) };

const asLive = (section: Section): Section => ({ ...section, mutability: "live" });

/** What stands in for sections of state is state itself: else stable words would come and go with it. */
function steady(section: Raw<typeof rawSection>, instead: readonly Raw<typeof rawSection>[]): Raw<typeof rawSection> {
  const moving = instead.some(({ stability }) => stability !== "stable");
  return { ...section, stability: moving ? "state" : section.stability };
}

export function headingText(level: number, name: string): string {
  return level === 0 ? `${name} Title:` : `${"#".repeat(level)} ${name} Title`;
}

function buildSection(raw: Raw<typeof rawSection>, name: string, hand: string): Section {
  const fixed = hand === "fixed";
  const heading = raw.level > 0 || !raw.headless ? headingText(raw.level, name) : undefined;
  return {
    name,
    stability: raw.stability,
    trust: fixed ? "own" : raw.trust === "own" && hand === "inside" ? "user" : raw.trust,
    ...(raw.stability === "stable" ? {} : { reserve: { chars: raw.reserve, tokens: Math.ceil(raw.reserve / 3) } }),
    ...(raw.lead === undefined ? {} : { lead: raw.lead }),
    ...(heading === undefined ? {} : { heading }),
    ...(fixed ? { words: `Law of ${name}: ${raw.literal ?? "be good, always and everywhere"}` } : {}),
    ...(!fixed && hand === "live" && raw.literal !== undefined ? { words: `Literal of ${name}: ${raw.literal}` } : {}),
    ...(fixed && raw.compact === "short" ? { short: `Law of ${name}, short.`, compact: "short" as const } : {}),
    ...(!fixed && raw.compact !== undefined ? { compact: raw.compact } : {}),
    ...(typeof hands[hand] === "object"
      ? { original: raw.original }
      : { sources: [() => ({ status: "empty" as const })] }),
    ...(raw.fallback === undefined ? {} : { fallback: `Fallback of ${name}: ${raw.fallback}` }),
    ...(raw.closing === undefined ? {} : { closing: `Closing of ${name}: ${raw.closing}` }),
    ...(raw.separator === undefined ? {} : { separator: raw.separator }),
    ...(raw.limit === undefined || fixed
      ? {}
      : { limit: { chars: raw.limit, told: `(${name} shows {kept}, hides {missing})` } }),
  };
}

function reading(raw: Raw<typeof rawSection>, name: string, hand: string): Reading {
  if (raw.status === "empty") return { status: "empty" };
  if (raw.status === "unavailable") return { status: "unavailable", reason: `the store of ${name} is out of reach` };
  return { status: "present", parts: raw.parts.map((part, index) => buildPart(part, name, index, hand, raw.trust)) };
}

/** Every part carries its mark, so that a test sees by itself whether it stands in a prompt, and in which form. */
export const markOf = (section: string, index: number) => `Z${section}p${index}Z`;
export const shortMarkOf = (section: string, index: number) => `Y${section}p${index}Y`;

function buildPart(raw: Raw<typeof rawPart>, section: string, index: number, hand: string, usual: Trust): Part {
  const above = raw.under !== undefined && raw.under < index && raw.kind !== undefined;
  const mark = shortMarkOf(section, index);
  const honest = (trust: Trust) => (hand === "fixed" ? "own" : hand === "inside" && trust === "own" ? "user" : trust);
  const trust = raw.trust === undefined || hand === "fixed" ? undefined : honest(raw.trust);
  const own = (trust ?? honest(usual)) === "own";
  return {
    text: `${own ? raw.own : raw.words} ${markOf(section, index)}`,
    id: `${section}p${index}`,
    ...(raw.kind === undefined ? {} : { kind: raw.kind }),
    ...(raw.short === undefined ? {} : { short: raw.short === "" ? "" : `${mark} ${raw.short}` }),
    ...(above ? { parent: `${section}p${raw.under}` } : {}),
    ...(raw.apart === undefined ? {} : { apart: raw.apart }),
    ...(raw.edition === undefined ? {} : { edition: raw.edition }),
    ...(trust === undefined ? {} : { trust }),
    ...(raw.source === undefined ? {} : { source: raw.source }),
  };
}

/** The same value, made of other objects; functions stay. */
export function fresh<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(fresh) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fresh(inner)])) as Value;
}

/** Every section of a charter with its layer, written anew here so that a test does not trust what it tests. */
export function sectionsOf(
  charter: Charter,
): { section: Section; layer: Layer; mutability: Mutability; fallback: boolean }[] {
  return charter.layers.flatMap((layer) =>
    [
      ...layer.sections.map((section) => ({ section, fallback: false })),
      ...(layer.fallback ?? []).map((section) => ({ section, fallback: true })),
    ].map(({ section, fallback }) => ({
      section,
      layer,
      fallback,
      mutability: section.mutability ?? layer.mutability,
    })),
  );
}

type Row = { readonly name: string; readonly layer: string; readonly start: number; readonly end: number };

/** What stands between a section and the next, by the charter's declaration. */
export function separatorAfter(charter: Charter, rows: readonly Row[], index: number): string {
  const [row, next] = [rows[index], rows[index + 1]];
  if (!row || !next) return "";
  const between = charter.separator ?? "\n\n";
  return row.layer === next.layer
    ? (charter.layers.find(({ name }) => name === row.layer)?.separator ?? between)
    : between;
}

/** A section's own text in a prompt, without the separator. */
export function sectionText(
  charter: Charter,
  prompt: { text: string; sections: readonly Row[] },
  name: string,
): string | undefined {
  const index = prompt.sections.findIndex((row) => row.name === name);
  const row = prompt.sections[index];
  return row && prompt.text.slice(row.start, row.end - separatorAfter(charter, prompt.sections, index).length);
}

export const editions = fc.constantFrom("full" as const, "compact" as const);
