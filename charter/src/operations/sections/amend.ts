import { operationKinds } from "../../amend/amendment.ts";
import type { Operation } from "../../amend/operation.ts";
import { Problem } from "../../prompt/problem.ts";
import { oneOf, text, whole } from "../field.ts";
import { operation } from "../operation.ts";
import { bare } from "../prompt/prompt-options.ts";
import { change } from "../proposals/proposal-fields.ts";
import { outcome, outcomeLines, outcomeStatus, propose, wishFields } from "./propose.ts";

const answering = {
  who: "person",
  answer: outcome,
  statuses: {
    201: "Accepted: used from the next prompt on.",
    200: "It was only checked (`dryRun`, `quote`), or the text is the current one already: nothing is stored.",
    202: "It waits for approval: `held` is its id.",
  },
  refuses: [409, 410, 422],
  wire: outcomeStatus,
  lines: outcomeLines,
} as const;

const exits =
  "Exit code 0: accepted, or unchanged. 1: refused, waiting for approval (charter approve, charter reject), or not published yet (a core memory).";
const goingBack = `This is an amendment like any other: guards check it, and the history is kept.\n${exits}`;
const to = whole("The revision to go back to; 0 is the original.", { least: 0 }).option("revision");

const make = operation({
  ...answering,
  name: "sections.propose",
  says: "Propose a change to a section",
  about:
    "The only way to change text. Every guard checks the change, and all refusals are answered. An operator proposes as operator, a user as user and only for the sections that each user has their own copy of; what a model proposes over MCP is the agent's.",
  route: "POST /agents/{agent}/proposals",
  tool: true,
  example: { section: "instructions", operation: { kind: "append", content: "- Answer in French." }, user: "bo" },
  input: { ...wishFields, operation: change },
  run: (context, { operation, ...wish }) => propose(context, wish, operation),
});

const amend = operation({
  ...answering,
  name: "sections.amend",
  says: "Change a section's text; guards check the change",
  about:
    "In a database the change is kept. Every guard checks it, and all refusals are printed. With a charter and facts nothing is kept, so --dry-run is required.",
  command: "amend <section?>",
  examples: [
    'charter amend --agent ada --user bo -s instructions -o rewrite --content "Be brief." --actor user',
    'charter amend --agent ada -s soul -o append --content-file more.md --reason "asked for" --revision 3',
    'charter amend --agent ada -s soul -o append --content "Be kind." --dry-run',
    'charter amend --agent ada --user bo -s soul -o append --content "Be kind." --quote',
    'charter amend -c artifact -i facts.json -s prompt -o replace_section --marker "## Goals" --content "1. Rest" --dry-run',
    "charter amend -c sovereign -s 6 -o rewrite --content-file loop.md --dry-run --json",
  ],
  notes: exits,
  input: {
    ...wishFields,
    agent: wishFields.agent.optional(),
    ...bare,
    operation: oneOf(operationKinds, "What is done with its text.").option("o", "o"),
    content: text("The text.").option("text").orFile().optional(),
    compact: text("What stands for the changed text in the compact edition, of a section with such a line.")
      .option("line")
      .optional(),
    marker: text('For replace_section: the heading, with its level ("## Goals").').option("heading").optional(),
    to: to.says("For revert: the revision to go back to.").optional(),
  },
  run: (context, { agent = "", ...wish }) => propose(context, { agent, ...wish }, changeOf(wish)),
});

type Typed = {
  readonly operation: Operation["kind"];
  readonly content?: string | undefined;
  readonly compact?: string | undefined;
  readonly marker?: string | undefined;
  readonly to?: number | undefined;
};

/** What was typed, as the change it means. */
export function changeOf({ operation: kind, content, compact, marker, to }: Typed): Operation {
  const needs = (what: string) => new Problem("usage", what, "See charter amend --help.");
  if (kind === "reset") return { kind };
  if (kind === "revert") {
    if (to === undefined) throw needs("charter amend needs --to.");
    return { kind, to };
  }
  if (kind === "replace_section" && !marker) throw needs("charter amend needs --marker.");
  if (content === undefined) throw needs(`The operation ${kind} needs --content or --content-file.`);
  const words = { content, ...(compact === undefined ? {} : { compact }) };
  return kind === "replace_section" ? { kind, marker: marker as string, ...words } : { kind, ...words };
}

const revert = operation({
  ...answering,
  name: "sections.revert",
  says: "Go back to an earlier revision of a section",
  about: "An amendment like any other: the history is kept.",
  route: "POST /agents/{agent}/sections/{section}/revert",
  command: "revert <section?>",
  examples: [
    "charter history --agent ada soul",
    'charter revert --agent ada soul --to 3 --reason "it was better"',
    "charter revert --agent ada --user bo instructions --to 0",
  ],
  notes: goingBack,
  example: { to: 3 },
  input: { ...wishFields, to },
  run: (context, { to, ...wish }) => propose(context, wish, { kind: "revert", to }),
});

const reset = operation({
  ...answering,
  name: "sections.reset",
  says: "Go back to a section's original text",
  command: "reset <section?>",
  examples: ["charter reset --agent ada soul", "charter reset --agent ada --user bo instructions --dry-run"],
  notes: goingBack,
  input: wishFields,
  run: (context, wish) => propose(context, wish, { kind: "reset" }),
});

export const operations = [make, amend, revert, reset];
