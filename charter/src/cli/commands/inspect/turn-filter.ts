import { Problem } from "../../../prompt/problem.ts";
import { type ListTurnsOptions, turnEvents } from "../../../store/turns/list/turn-filter.ts";

/** What turns are looked for by: the same words as in the API. */
export const turnFilterOptions = {
  words: { type: "string" },
  state: { type: "string" },
  event: { type: "string" },
  channel: { type: "string" },
  model: { type: "string" },
  from: { type: "string" },
  to: { type: "string" },
  "min-cost": { type: "string" },
  "max-cost": { type: "string" },
  sort: { type: "string" },
} as const;

type Values = { readonly [Name in keyof typeof turnFilterOptions]?: string | undefined };

const states = ["running", "answered", "failed", "interrupted", "erased"] as const;
const sorts = ["newest", "oldest", "cost", "duration"] as const;

export function turnFilterValues(values: Values): ListTurnsOptions {
  const { words, state, event, channel, model, from, to, sort } = values;
  return {
    ...{ words, channel, model, from, to },
    state: oneOf("state", state, states),
    event: oneOf("event", event, turnEvents),
    sort: oneOf("sort", sort, sorts),
    minCost: dollars("min-cost", values["min-cost"]),
    maxCost: dollars("max-cost", values["max-cost"]),
  };
}

function oneOf<Name extends string>(option: string, given: string | undefined, known: readonly Name[]) {
  const found = known.find((name) => name === given);
  if (given === undefined || found !== undefined) return found;
  throw new Problem("usage", `--${option} cannot be “${given}”.`, `Give one of ${known.join(", ")}.`);
}

function dollars(option: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (/^\d{1,9}(\.\d{1,9})?$/.test(given)) return Number(given);
  throw new Problem("usage", `--${option} is no number of dollars: “${given}”.`, "Give one as in 0.05.");
}
