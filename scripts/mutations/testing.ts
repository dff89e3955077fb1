import type { Mutation } from "./mutation.ts";

const fences = ["src/testing/expect-prompt.test.ts", "test/properties/expect-fenced.test.ts"];
const prompts = ["src/testing/expect-prompt.test.ts"];
const scripts = ["src/testing/scripted-model.test.ts"];

/** Expectations that hold though they should not, and models that answer though their script is over. */
export const testing: readonly Mutation[] = [
  {
    name: "fenced-by-users",
    file: "testing/fence-check.ts",
    find: 'trust !== "foreign");\n  if (trusted)',
    replace: 'trust === "own");\n  if (trusted)',
    noticedBy: fences,
  },
  {
    name: "fenced-by-first-place",
    file: "testing/fence-check.ts",
    find: "for (const place of occurrencesOf(prompt, text)) {",
    replace: "for (const place of occurrencesOf(prompt, text).slice(0, 1)) {",
    noticedBy: fences,
  },
  {
    name: "fenced-without-marks",
    file: "testing/fence-check.ts",
    find: "if (!isQuoted) return",
    replace: "if (!isQuoted && place.start < 0) return",
    noticedBy: fences,
  },
  {
    name: "fenced-by-any-string",
    file: "testing/fence-check.ts",
    find: "if (index <= start && end <= index + string.length) return true;",
    replace: "if (index <= start) return true;",
    noticedBy: fences,
  },
  {
    name: "fence-forms-forgotten",
    file: "testing/text-occurrence.ts",
    find: "return [...new Set([text, behindMarks(text), inString])];",
    replace: "return [text, inString].slice(0, 1);",
    noticedBy: prompts,
  },
  {
    name: "before-by-first-place",
    file: "testing/text-check.ts",
    find: "const last = occurrencesOf(prompt, first).at(-1);",
    replace: "const last = occurrencesOf(prompt, first)[0];",
    noticedBy: prompts,
  },
  {
    name: "cut-told-by-anyone",
    file: "testing/section-check.ts",
    find: 'section === name && source === "charter" && trust === "own" && text',
    replace: "section === name && text",
    noticedBy: prompts,
  },
  {
    name: "whole-though-omitted",
    file: "testing/section-check.ts",
    find: "if (cuts.length === 0) return checkStands(prompt, name);",
    replace: "if (cuts.length === 0) return;",
    noticedBy: prompts,
  },
  {
    name: "script-repeats-unasked",
    file: "testing/scripted-model.ts",
    find: "repeatLast = false }",
    replace: "repeatLast = true }",
    noticedBy: scripts,
  },
  {
    name: "requests-kept-as-they-become",
    file: "testing/scripted-model.ts",
    find: "requests.push(structuredClone(request));",
    replace: "requests.push(request);",
    noticedBy: scripts,
  },
];
