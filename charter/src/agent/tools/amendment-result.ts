import { unshownSentence } from "../../amend/unshown.ts";
import { outcomeFacts } from "../../amend/verdict.ts";
import type { Quote } from "../../delivery/quote.ts";
import type { ProposalOutcome } from "../../store/amendments/judge.ts";
import type { ProposedChange, ToolContext, ToolOutput } from "../tool.ts";
import { noteSeen, revisionSeen } from "./seen-revision.ts";

/** So much of a diff is told; whoever made the change knows the rest. */
const maxDiffChars = 6000;

/** Proposes by the agent's hand, against the words its model has seen, and tells what became of it. */
export async function proposeChange(
  context: ToolContext,
  change: Omit<ProposedChange, "revision">,
  more: object = {},
): Promise<ToolOutput> {
  const { section } = change;
  const amendable = context.prompt.sections.find(({ name }) => name === section)?.mutability ?? "amendable";
  const against = amendable === "amendable" ? { revision: await revisionSeen(context, section) } : {};
  const settled = await context.propose({ ...change, ...against });
  if (settled.verdict === "accepted") noteSeen(context, section, settled.revision);
  return amendmentResult(settled, change, more);
}

/** What the model reads of an outcome: all refusals, what changed, what it costs. Nothing of a refused change stands. */
function amendmentResult(
  outcome: ProposalOutcome & { readonly quote?: Quote },
  { section, operation }: Pick<ProposedChange, "section" | "operation">,
  more: object = {},
): ToolOutput {
  const { verdict, before, after, diff, ...facts } = outcomeFacts(outcome, section);
  const dropped = operation.kind === "rewrite" ? linesDropped(before, after) : [];
  const text = JSON.stringify({
    verdict,
    section,
    says: says(outcome, section),
    ...facts,
    diff: shortened(diff),
    ...(dropped.length === 0 ? {} : { dropped }),
    ...(outcome.quote === undefined ? {} : { quote: quoteFacts(outcome.quote) }),
    ...more,
  });
  return verdict === "refused" ? { text, failed: true } : { text };
}

function says(settled: ProposalOutcome, section: string): string {
  if (settled.verdict === "accepted")
    return `“${section}” is at revision ${settled.revision} now.${settled.unshown ? ` ${unshownSentence(settled.unshown)}` : ""}`;
  if (settled.verdict === "unchanged") return `“${section}” says exactly this already: nothing was changed.`;
  if (settled.verdict === "refused") return "Nothing was changed.";
  return "Nothing has changed yet: a person must approve it first.";
}

/** The lines that stood before and stand no more, whole: whoever dropped one by mistake can put it back. */
function linesDropped(before: string, after: string): string[] {
  const kept = new Set(after.split("\n").map((line) => line.trim()));
  return before.split("\n").filter((line) => line.trim() !== "" && !kept.has(line.trim()));
}

function shortened(diff: string): string {
  if (diff.length <= maxDiffChars) return diff;
  const end = diff.lastIndexOf("\n", maxDiffChars) + 1;
  return `${diff.slice(0, end)}(${diff.slice(end).split("\n").length - 1} more lines)\n`;
}

function quoteFacts({ says: inWords, happens, tokens, price, breakEven }: Quote) {
  return { says: inWords, happens, tokens, price, breakEven };
}
