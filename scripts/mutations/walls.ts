import type { Mutation } from "./mutation.ts";

const noticedBy = [
  "src/prompt/forgery.test.ts",
  "src/prompt/structure.test.ts",
  "src/prompt/inert.test.ts",
  "src/prompt/fence.test.ts",
  "test/scenarios/walls.test.ts",
  "test/properties/readers.test.ts",
];

const broken: readonly Omit<Mutation, "noticedBy">[] = [
  {
    name: "inert-run-alone",
    file: "prompt/forgery.ts",
    find: "const high = blankRest.test(rest) ? Math.max(1, count - 1) : count;",
    replace: "const high = count;",
  },
  {
    name: "inert-behind-tag",
    file: "prompt/forgery.ts",
    find: 'if (line.includes(">"))',
    replace: 'if (line.includes(">>>"))',
  },
  {
    name: "inert-blank-above",
    file: "prompt/forgery.ts",
    find: "cuts.plain[index] && blank.test(line)",
    replace: 'line.trim() === ""',
  },
  {
    name: "inert-own-heading",
    file: "prompt/forgery.ts",
    find: 'let above: Above = "unknown";',
    replace: 'let above: Above = "nothing";',
  },
  {
    name: "inert-definition",
    file: "prompt/forgery.ts",
    find: "const takenOut = definition.test(line) && !isDefinition(line, above);",
    replace: "const takenOut = false;",
  },
  {
    name: "inert-named-line",
    file: "prompt/forgery.ts",
    find: "if (lines.has(whole)) return",
    replace: "if (lines.has(line)) return",
  },
  {
    name: "inert-space",
    file: "prompt/line.ts",
    find: "[\\\\s\\\\u0000-\\\\u0020",
    replace: "[ \\\\t",
  },
  {
    name: "inert-own-tag",
    file: "prompt/markup.ts",
    find: "isOwn(plainName(text, at), forbidden)",
    replace: "isOwn(written, forbidden)",
  },
  {
    name: "inert-comment",
    file: "prompt/markup.ts",
    find: 'if (end === undefined) found.push({ what: "markup", at, certainty: "hides" });',
    replace: "if (end === undefined) skipTo = at + 1;",
  },
  {
    name: "inert-hiding",
    file: "prompt/markup.ts",
    find: "hiding.has(name) && seen",
    replace: "hiding.has(written) && seen && at < 0",
  },
  {
    name: "inert-html-heading",
    file: "prompt/markup.ts",
    find: "if (seen && counts) found.push",
    replace: "if (seen && counts && at < 0) found.push",
  },
  {
    name: "inert-unfinished",
    file: "prompt/markup.ts",
    find: "if (seen && !endsPlainly(text, at)) {",
    replace: 'if (seen && !text.includes(">", at)) {',
  },
  {
    name: "inert-balance",
    file: "prompt/markup.ts",
    find: "if (!isBalanced(tags)) found",
    replace: "if (tags.length < 0) found",
  },
  {
    name: "code-same-signs",
    file: "prompt/code-block.ts",
    find: "if (!plain || like.test(line)) return undefined;",
    replace: "if (!plain) return undefined;",
  },
  {
    name: "code-leaves-indent",
    file: "prompt/code-block.ts",
    find: "if (!inside) return undefined;",
    replace: "if (inside === undefined) return undefined;",
  },
  {
    name: "code-after-html",
    file: "prompt/code-block.ts",
    find: "cuts.plain[index] && !html && !closes",
    replace: "cuts.plain[index] && !closes",
  },
  {
    name: "code-not-empty",
    file: "prompt/code-block.ts",
    find: "return index === first + 1 ? undefined : index;",
    replace: "return index;",
  },
  {
    name: "code-one-word",
    file: "prompt/code-block.ts",
    find: "(`{3,}|~{3,}) *[^\\s`~]*$/;",
    replace: "(`{3,}|~{3,}).*$/;",
  },
  {
    name: "quotation-ends",
    file: "prompt/gap.ts",
    find: 'return beginsBlank(planned.separator) ? planned.separator : "\\n\\n";',
    replace: "return planned.separator;",
  },
  {
    name: "quotation-end-of-section",
    file: "prompt/plan.ts",
    find: 'section.closing === undefined ? end : "\\n"',
    replace: 'section.closing === undefined ? end : ""',
  },
  {
    name: "fence-markup",
    file: "prompt/fence.ts",
    find: "level: 6, rules: true, tags }",
    replace: "tags }",
  },
  {
    name: "fence-tags-quoted",
    file: "prompt/fence.ts",
    find: ".replace(/<(?=[A-Za-z/!?%])/g, escaped)",
    replace: "",
  },
  {
    name: "separator-blank",
    file: "prompt/structure-faults.ts",
    find: "(beginsBlank(separator) && /\\n[ \\t]*$/.test(separator))",
    replace: "true",
  },
  {
    name: "heading-hides",
    file: "prompt/structure-faults.ts",
    find: 'some(({ certainty }) => certainty === "hides")',
    replace: "some(({ at }) => at < 0)",
  },
  {
    name: "headless-first",
    file: "prompt/structure.ts",
    find: "const high = level || deepest;",
    replace: "const high = level;",
  },
  {
    name: "forgery-hides",
    file: "amend/guards/no-forgery.ts",
    find: 'certainty === "sure" || (certainty === "hides" && what !== "fence")',
    replace: 'certainty === "sure" && what !== "markup"',
  },
  {
    name: "verdict-inert",
    file: "amend/amend.ts",
    find: "...(inert.length > 0 ? { inert } : {})",
    replace: "...(inert.length > 99 ? { inert } : {})",
  },
];

/** What keeps others' words from being structure. */
export const walls: readonly Mutation[] = broken.map((mutation) => ({ ...mutation, noticedBy }));
