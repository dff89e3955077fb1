import { badArgument, isList, isObject, isPromise, isText, kindOf } from "../prompt/argument.ts";
import type { Problem } from "../prompt/problem.ts";
import { operationKinds } from "./amendment.ts";
import type { Proposal } from "./proposal.ts";

const rulesWanted = "Give { guards }: usualGuards(charter, readings), or a list of your own, [] for none.";

/** A context whose `rules` are looked up by section: without them nothing could be judged. */
export function checkContext(name: string, context: { readonly rules: unknown; readonly scope: unknown }): void {
  if (!isObject(context))
    throw badArgument(
      `The context that ${name} was given is ${kindOf(context)}.`,
      "Give { charter, scope, rules, … }.",
    );
  const { rules, scope } = context;
  if (!isObject(scope) || !isText((scope as { agent?: unknown }).agent))
    throw badArgument(
      `The \`scope\` that ${name} was given is ${kindOf(scope)}.`,
      "Give { agent }, or { agent, user }: names.",
    );
  if (typeof rules === "function") return;
  const hint = isObject(rules)
    ? "Give a function: rules: () => ({ guards })."
    : `Give a function, (section) => rules. ${rulesWanted}`;
  throw badArgument(`The \`rules\` that ${name} was given are ${kindOf(rules)}.`, hint);
}

export function checkRules(rules: unknown): void {
  if (isObject(rules) && isList((rules as { guards?: unknown }).guards)) return;
  const given = isObject(rules) && !isList(rules) ? "without guards" : kindOf(rules);
  throw badArgument(
    `The rules of a change are ${given}.`,
    `${isPromise(rules) ? "Await them first. " : ""}${rulesWanted}`,
  );
}

export function checkStandingText(standing: unknown): void {
  const { text, original } = Object(standing) as { readonly text?: unknown; readonly original?: unknown };
  if (isText(text) && isText(original)) return;
  throw badArgument(
    `The current text of a change is ${kindOf(standing)}.`,
    "Give { text, original, revision }: the current text, the original text, and the number of amendments between them.",
  );
}

const proposalFields: ReadonlySet<string> = new Set<keyof Proposal>([
  "section",
  "operation",
  "actor",
  "reason",
  "revision",
  "turn",
]);

export function checkProposal(proposal: Proposal): void {
  if (!isObject(proposal) || !isText(proposal.section)) throw badProposal(`is ${kindOf(proposal)}`);
  const unknown = Object.keys(proposal).find((field) => !proposalFields.has(field));
  if (unknown !== undefined) throw badProposal(`has no field “${unknown}”`);
  const { operation, actor } = proposal;
  const { kind, content, compact } = Object(operation) as Readonly<Record<"kind" | "content" | "compact", unknown>>;
  if (!operationKinds.some((known) => known === kind))
    throw badProposal(
      isText(kind) ? `has no operation that is known: “${kind}”` : `has an operation that is ${kindOf(operation)}`,
    );
  if (kind !== "reset" && kind !== "revert" && !isText(content))
    throw badProposal(`has content that is ${kindOf(content)}`);
  if (compact !== undefined && (kind === "reset" || kind === "revert"))
    throw badProposal(`has a compact line, and a ${kind} brings the one of the text it goes back to`);
  if (compact !== undefined && !isText(compact)) throw badProposal(`has a compact line that is ${kindOf(compact)}`);
  if (actor !== "agent" && actor !== "user" && actor !== "operator")
    throw badProposal(`has an actor that is ${kindOf(actor)}`);
}

function badProposal(what: string): Problem {
  return badArgument(
    `The proposal ${what}.`,
    `Give { section, operation: { kind, content }, actor }: kind is ${operationKinds.join(", ")}; actor is agent, user or operator.`,
  );
}
