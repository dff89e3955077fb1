import { dollarText, inDollars } from "../../delivery/cost.ts";
import { counted } from "../../prompt/problem.ts";
import type { SpendingTotal } from "../../store/turns/spending.ts";
import { agentScopeFor } from "../caller.ts";
import { agent, list, number, object, text, user, whole } from "../field.ts";
import { operation } from "../operation.ts";
import { columns } from "../print/columns.ts";

export const day = (says: string) =>
  text(says, { form: /^\d{4}-\d\d-\d\d$/, reason: "must be a day, as in 2026-02-18" })
    .example("2026-02-18")
    .option("day")
    .optional();

/** The last seven days (UTC), today last. */
export function lastDays(now: Date): readonly [string, ...string[]] {
  const ago = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10);
  return [ago(6), ...[5, 4, 3, 2, 1, 0].map(ago)];
}

export const sums = {
  cost: number("In dollars, of everything whose price is known."),
  input: whole("Input tokens as the providers counted them."),
  read: whole("Of those, read from the cache."),
  written: whole("Of those, written to the cache."),
  output: whole(),
};

const counts = {
  turns: whole("Turns that started in it."),
  priced: whole("Turns among them whose cost is known."),
};

export const showCost = operation({
  name: "cost.show",
  says: "Get what an agent spent",
  about: "Sums over all turns in a range of days, by day and by model. By section, see the samples.",
  route: "GET /agents/{agent}/cost",
  command: "cost",
  examples: [
    "charter cost --agent ada",
    ["charter cost --agent ada --user bo --from 2026-02-01", "what one user's turns have cost since then"],
  ],
  who: "operator",
  input: {
    agent,
    user: user.says("Only what this user's turns cost."),
    from: day("The first day (UTC); left out, from the beginning."),
    to: day("The last day (UTC), included; left out, until today."),
  },
  answer: object({
    agent: text(),
    user: text().nullable(),
    from: text().nullable(),
    to: text().nullable(),
    total: object({ ...counts, ...sums }),
    days: list(object({ day: text(), ...counts, ...sums })),
    models: list(object({ model: text(), ...sums })).says("By the model that was paid; second opinions included."),
  }).named("Cost", "What an agent spent: sums over all turns in the range, by day and by model."),
  statuses: { 200: "Days are UTC, in order." },
  run: async (context, { agent, user, from, to }) => {
    const scope = await agentScopeFor(context, agent, user);
    const spending = await context.store.spending.sums({ ...scope, from, to });
    const days = spending.days.map(({ day, turns, priced, ...sums }) => ({ day, turns, priced, ...billOf(sums) }));
    const models = spending.models.map(({ model, ...sums }) => ({ model, ...billOf(sums) }));
    const micros = spending.days.reduce((sum, one) => sum + one.micros, 0);
    const sumOf = (key: "turns" | "priced" | "input" | "read" | "written" | "output") =>
      days.reduce((sum, one) => sum + one[key], 0);
    const tokens = { input: sumOf("input"), read: sumOf("read"), written: sumOf("written"), output: sumOf("output") };
    const total = { turns: sumOf("turns"), priced: sumOf("priced"), cost: inDollars(micros), ...tokens };
    return { agent, user: user ?? null, from: from ?? null, to: to ?? null, total, days, models };
  },
  lines: ({ agent, user, from, to, total, days, models }) => {
    const { turns, priced } = total;
    const range = `${from === null ? "" : ` from ${from}`}${to === null ? "" : ` to ${to}`}`;
    const unknown = priced < turns ? `; what ${turns - priced} of them cost is not known` : "";
    const owner = user === null ? `“${agent}”` : `“${agent}” for ${user}`;
    const sum = `${counted(turns, "turn")} of ${owner}${range}: ${dollarText(total.cost)}${unknown}.`;
    if (days.length + models.length === 0) return [sum];
    const shownDays = days.slice(-maxDays);
    const hiddenDays = days.length - shownDays.length;
    const names = ["read", "written", "fresh", "output", "cost"];
    return [
      sum,
      ...columns(
        ["day (UTC)", "turns", ...names],
        shownDays.map((one) => [one.day, String(one.turns), ...billCells(one)]),
        process.stdout,
      ),
      ...(hiddenDays > 0 ? [`${counted(hiddenDays, "earlier day")} not shown: --from, --to or --json.`] : []),
      ...columns(
        ["model", ...names],
        models.map((one) => [one.model, ...billCells(one)]),
        process.stdout,
      ),
    ];
  },
});

/** Maximum number of days that are printed, the last ones. */
const maxDays = 14;

function billCells({ cost, input, read, written, output }: Omit<SpendingTotal, "micros"> & { readonly cost: number }) {
  return [...[read, written, Math.max(0, input - read - written), output].map(String), dollarText(cost)];
}

function billOf({ micros, input, read, written, output }: SpendingTotal) {
  return { cost: inDollars(micros), input, read, written, output };
}

export const operations = [showCost];
