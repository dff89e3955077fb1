import type { Mutation } from "./mutation.ts";

const walls = [
  "src/prompt/forgery.test.ts",
  "src/prompt/structure.test.ts",
  "src/prompt/inert.test.ts",
  "src/prompt/fence.test.ts",
  "test/scenarios/walls.test.ts",
  "test/properties/readers.test.ts",
];

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are pieces of code
/**
 * The words of a prompt, and what may become of them: what Stryker cannot break. It changes no number, no string and
 * nothing at the top of a file; it puts nothing in, and no name in another's place; it leaves calls like `replace` alone.
 */
export const heart: readonly Mutation[] = [
  {
    name: "well-formed",
    file: "amend/guards/well-formed.ts",
    find: "const faults = placedFaults(change.after);",
    replace: "const faults = placedFaults(change.before);",
  },
  {
    name: "no-override-higher",
    file: "amend/guards/no-override.ts",
    find: "findOverride(after.slice(from), higher)",
    replace: "findOverride(after.slice(from), from < 0 ? higher : undefined)",
    noticedBy: ["src/amend/override/higher.test.ts"],
  },
  {
    name: "override-misspelling",
    file: "amend/override/misspelling.ts",
    find: "const slips = key.length < 9 ? 1 : 2;",
    replace: "const slips = 0;",
    noticedBy: ["src/amend/override/misspelling.test.ts"],
  },
  {
    name: "override-window",
    file: "amend/override/override.ts",
    find: "const reach = 64;",
    replace: "const reach = 2;",
    noticedBy: ["src/amend/override/override.test.ts"],
  },
  {
    name: "all-refusals-at-once",
    file: "amend/amend.ts",
    find: "const against = refusals.filter((refusal) => !refusal.holds);",
    replace: "const against = refusals.filter((refusal) => !refusal.holds).slice(0, 1);",
  },
  {
    name: "block-fence",
    file: "prompt/fence.ts",
    find: "words.split(lineEnd).map(",
    replace: 'words.split("\\n").map(',
  },
  {
    name: "block-fence-mark",
    file: "prompt/fence.ts",
    find: "`> ${line.replace(hidden, escaped)}`",
    replace: "`${line.replace(hidden, escaped)}`",
  },
  {
    name: "one-line-fence",
    file: "prompt/fence.ts",
    find: "return JSON.stringify(words)\n    .replace(hidden, escaped)",
    replace: "return JSON.stringify(words)",
  },
  {
    name: "one-line-fence-quote",
    file: "prompt/fence.ts",
    find: "return JSON.stringify(words)",
    replace: 'return `"${words}"`',
  },
  {
    name: "inert-together",
    file: "prompt/inert.ts",
    find: "texts.map((text, index) => text + gaps[index]).join",
    replace: 'texts.map((text) => text + "\\n\\n").join',
  },
  {
    name: "open-fence-closed",
    file: "prompt/code-block.ts",
    find: "closing = `\\n${fence.run}`;",
    replace: 'closing = "";',
  },
  {
    name: "odd-line-ends",
    file: "prompt/line.ts",
    find: "for (const { index, 0: end } of text.matchAll(anyLineEnd)) {",
    replace: "for (const { index, 0: end } of text.matchAll(/\\r\\n|[\\n\\r]/g)) {",
  },
  {
    name: "fixed-short-words",
    file: "prompt/plan.ts",
    find: "(section.short ?? section.words) : section.words",
    replace: "section.words?.slice(0, 9) : section.words",
  },
  {
    name: "limit-told",
    file: "prompt/rendering.ts",
    find: "parts: [...shown, toldPart(planned, limit.told, limit.chars, missing)],",
    replace: "parts: shown,",
  },
  {
    name: "reserve",
    file: "prompt/fit.ts",
    find: "giveWay(plan, stable, limit - reserve - (plan.moves ? partingSize(stable, measure) : 0), measure);",
    replace: "giveWay(plan, stable, limit - sizeOfAll(moving, measure), measure);",
  },
  {
    name: "gives-way-order",
    file: "prompt/fit.ts",
    find: "for (const { rule, index } of plan.rules) {",
    replace: "for (const { rule, index } of plan.rules.toReversed()) {",
  },
  {
    name: "unavailable-first-of",
    file: "prompt/reading.ts",
    find: 'reading.status !== "empty") ?? empty',
    replace: 'reading.status === "present") ?? empty',
  },
  {
    name: "separator-owner",
    file: "prompt/rendering.ts",
    find: 'const lastGap = closing === undefined ? separator : "\\n";',
    replace: 'const lastGap = closing === undefined ? "" : "\\n";',
  },
  {
    name: "why-every-place",
    file: "prompt/span.ts",
    find: "prompt.text.indexOf(words, start + 1)",
    replace: "prompt.text.indexOf(words, start + words.length)",
  },
  {
    name: "ledger-scope",
    file: "amend/ledger.ts",
    find: "JSON.stringify([scope.agent, scope.user ?? null, section])",
    replace: "JSON.stringify([scope.agent, section])",
  },
  {
    name: "emptied-cache",
    file: "prompt/giving-way.ts",
    find: "`${edition} ${left[0].text}`",
    replace: "`${left[0].text.length}`",
  },
  {
    name: "inert-blank-above",
    file: "prompt/forgery.ts",
    find: "cuts.plain[index] && blank.test(line)",
    replace: 'line.trim() === ""',
    noticedBy: walls,
  },
  {
    name: "inert-own-heading",
    file: "prompt/forgery.ts",
    find: 'let above: Above = "unknown";',
    replace: 'let above: Above = "nothing";',
    noticedBy: walls,
  },
  {
    name: "inert-named-line",
    file: "prompt/forgery.ts",
    find: "if (lines.has(whole)) return",
    replace: "if (lines.has(line)) return",
    noticedBy: walls,
  },
  {
    name: "inert-space",
    file: "prompt/line.ts",
    find: "[\\\\s\\\\u0000-\\\\u0020",
    replace: "[ \\\\t",
    noticedBy: walls,
  },
  {
    name: "inert-own-tag",
    file: "prompt/markup.ts",
    find: "isOwn(plainName(text, at), forbidden)",
    replace: "isOwn(written, forbidden)",
    noticedBy: walls,
  },
  {
    name: "inert-unfinished",
    file: "prompt/markup.ts",
    find: "if (seen && !endsPlainly(text, at)) {",
    replace: 'if (seen && !text.includes(">", at)) {',
    noticedBy: walls,
  },
  {
    name: "code-one-word",
    file: "prompt/code-block.ts",
    find: "(`{3,}|~{3,}) *[^\\s`~]*$/;",
    replace: "(`{3,}|~{3,}).*$/;",
    noticedBy: walls,
  },
  {
    name: "quotation-end-of-section",
    file: "prompt/plan.ts",
    find: 'section.closing === undefined ? end : "\\n"',
    replace: 'section.closing === undefined ? end : ""',
    noticedBy: walls,
  },
  {
    name: "fence-markup",
    file: "prompt/fence.ts",
    find: "level: 6, rules: true, tags }",
    replace: "tags }",
    noticedBy: walls,
  },
  {
    name: "fence-tags-quoted",
    file: "prompt/fence.ts",
    find: ".replace(/<(?=[A-Za-z/!?%])/g, escaped)",
    replace: "",
    noticedBy: walls,
  },
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are pieces of code
