import type { ModelListAnswer } from "charter/answers";

export type KnownModel = ModelListAnswer["models"][number];

/** How a model is off, in a word or two, and whole. */
export type ModelState = {
  readonly tone: "good" | "bad" | "wait" | "plain";
  readonly short: string;
  readonly says: string;
  readonly hint?: string;
};

/** What is known of a model: its last test, else what keeps it from being asked, else its key. */
export function modelState(model: KnownModel | undefined): ModelState {
  if (!model) return { tone: "plain", short: "not checked", says: "Nothing is known of it yet. Test it." };
  const { standIn, problem, tested, key } = model;
  if (standIn)
    return { tone: "wait", short: "stand-in", says: "A stand-in: a script in place of a model. It needs no key." };
  if (problem) {
    const short = problem.code === "unknown-model" ? "unknown" : key === "missing" ? "no key" : "not set up";
    return { tone: "bad", short, says: problem.message, hint: problem.hint };
  }
  if (tested?.problem) {
    const { message, hint, code } = tested.problem;
    if (code === "not-tested") return { tone: "plain", short: "not tested", says: message, hint };
    return { tone: "bad", short: "test failed", says: message, hint };
  }
  if (tested?.ok) return { tone: "good", short: "works", says: "It works: it answered when it was last tested." };
  return key === "present"
    ? { tone: "plain", short: "key set", says: "Its key is set. Test whether it works." }
    : { tone: "plain", short: "no key needed", says: "It needs no key. Test whether it works." };
}

/** Models to choose from, in groups: your own first, then providers whose key is there, then the others. */
export function modelGroups(
  models: readonly KnownModel[],
): readonly (readonly [title: string, names: readonly string[]])[] {
  const groups = new Map<string, string[]>();
  const rank = ({ own, standIn, key, problem }: KnownModel) =>
    own ? 0 : standIn ? 4 : problem?.code === "unknown-model" ? 3 : key === "missing" ? 2 : 1;
  const titleOf = (model: KnownModel) =>
    ["Your own models", model.provider, `${model.provider} (no key set)`, "Unknown", "Without a model"][
      rank(model)
    ] as string;
  const sorted = models.toSorted((one, other) => rank(one) - rank(other));
  for (const model of sorted) groups.set(titleOf(model), [...(groups.get(titleOf(model)) ?? []), model.name]);
  return [...groups];
}
