import { type Operation, operationKinds } from "../../amend/operation.ts";
import { listed, Problem } from "../../prompt/problem.ts";

/** What a body says of an operation: its name, and the fields it may need. */
type OperationBody = {
  readonly operation: Operation["kind"] | "replace";
  readonly content?: string | undefined;
  readonly marker?: string | undefined;
  readonly to?: number | undefined;
};

const needs: Readonly<Record<Operation["kind"], readonly (keyof OperationBody)[]>> = {
  append: ["content"],
  prepend: ["content"],
  replace_section: ["marker", "content"],
  rewrite: ["content"],
  reset: [],
  revert: ["to"],
};

/** The operation, with all it needs and nothing it would not read: a field that is passed over in silence misleads. */
export function operationOf({ operation, ...given }: OperationBody): Operation {
  const kind = operation === "replace" ? "replace_section" : operation;
  const wanted = needs[kind];
  const there = (["content", "marker", "to"] as const).filter((name) => given[name] !== undefined);
  const missing = wanted.filter((name) => given[name as keyof typeof given] === undefined);
  const extra = there.filter((name) => !wanted.includes(name));
  if (missing.length === 0 && extra.length === 0)
    return {
      kind,
      ...Object.fromEntries(wanted.map((name) => [name, given[name as keyof typeof given]])),
    } as Operation;
  const faults = [
    ...(missing.length > 0 ? [`needs ${listed(missing)}`] : []),
    ...(extra.length > 0 ? [`takes no ${listed(extra)}`] : []),
  ];
  throw new Problem(
    "bad-operation",
    `The operation “${operation}” ${faults.join(" and ")}.`,
    `The operations are ${operationKinds.join(", ")}; content, marker and to go with those that need them.`,
  );
}
