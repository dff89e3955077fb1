import { addUsage, costOf, noUsage } from "../../agent/outcome.ts";
import type { StepResult } from "../../agent/turn/step-result.ts";
import type { Usage } from "../../delivery/model.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import { counted } from "../../prompt/problem.ts";
import type { CacheTokens, Receipt } from "../../prompt/receipt.ts";
import type { Step } from "../../store/turns/steps.ts";
import { columns } from "../print/columns.ts";
import type { Screen } from "../terminal/screen.ts";
import type { SlashCommand } from "../terminal/slash-command.ts";
import { wrapText } from "../terminal/wrap.ts";
import { output } from "./output.ts";
import type { Talk } from "./talk.ts";

/** What was sent cost: as it was predicted, and as the provider counted it. */
export function costCommand(talk: Talk, screen: Screen): SlashCommand {
  return {
    name: "cost",
    summary: "the cost of the last turn and the session",
    run: async () => {
      const { store } = talk;
      const { receiver } = talk.model();
      const [turn, session] = [await talk.lastTurn(), talk.session()];
      if (turn === undefined || session === undefined) return ["Nothing was sent in this session yet."];
      const steps = await store.steps.of(turn);
      const earlier: Step[] = [];
      const turns = (await store.sessions.history(session)).filter(({ told }) => !told);
      for (const { id } of turns) earlier.push(...(id === turn ? steps : await store.steps.of(id)));
      const title = (text: string) => screen.paint.bold(text);
      const rows = [
        ...steps.flatMap((step) => [...twoRows(`step ${step.step}`, [step], receiver), ...opinionRows([step])]),
        ...twoRows("session", earlier, receiver),
        ...opinionRows(earlier),
      ];
      const names = ["", "", "read", "written", "fresh", "output", "cost"];
      const receipt = steps.at(-1)?.receipt ?? null;
      return [
        title(`Turn ${turn}, and its session: ${counted(turns.length, "turn")}, ${counted(earlier.length, "step")}`),
        ...columns(names, rows, output(screen)),
        ...(receipt
          ? ["", title("The last step, section by section, as predicted"), ...bySection(receipt, screen)]
          : []),
        ...wrapText(`In tokens; ${priceText(receiver)}.`, screen.width).map(screen.paint.dim),
      ];
    },
  };
}

/** What was predicted, and under it what the provider counted. */
function twoRows(name: string, steps: readonly Step[], receiver: Receiver): string[][] {
  const predicted = steps.reduce((sum, { receipt }) => addPredicted(sum, receipt?.predicted), nothing);
  const usage = steps.reduce((sum, step) => addUsage(sum, usageOf(step)), noUsage);
  const cost = usage.input === null ? null : costOf(usage, receiver);
  return [
    [name, "predicted", ...billed(predicted).map(String), "", ""],
    ["", "billed", ...tokenCells(usage), cost === null ? "–" : dollars(cost)],
  ];
}

/** Second opinions are billed by their own model, and stand beside what the turn's model was sent. */
function opinionRows(steps: readonly Step[]): string[][] {
  const opinions = steps.flatMap(({ result }) => (result as StepResult | null)?.opinions ?? []);
  if (opinions.length === 0) return [];
  const usage = opinions.reduce((sum, one) => addUsage(sum, one.usage), noUsage);
  const known = opinions.every(({ cost }) => cost !== null);
  const cost = opinions.reduce((sum, one) => sum + (one.cost ?? 0), 0);
  return [["", counted(opinions.length, "second opinion"), ...tokenCells(usage), known ? dollars(cost) : "–"]];
}

function tokenCells({ input, read, written, output: said }: Usage): string[] {
  const fresh = input === null ? null : Math.max(0, input - (read ?? 0) - (written ?? 0));
  return [read, written, fresh, said].map((count) => (count === null ? "–" : String(count)));
}

const nothing: CacheTokens = { read: 0, written: 0, fresh: 0 };

function addPredicted(one: CacheTokens, other: CacheTokens = nothing): CacheTokens {
  return { read: one.read + other.read, written: one.written + other.written, fresh: one.fresh + other.fresh };
}

function usageOf({ result }: Step): Usage {
  return (result as { usage?: Usage } | null)?.usage ?? noUsage;
}

function bySection({ slots, history, predicted }: Receipt, screen: Screen): string[] {
  const rows = slots.flatMap(({ slot, sections }) =>
    sections.map((one) => [slot, one.name, one.tokens ?? 0, ...billed(one.predicted)].map(String)),
  );
  const known = slots.flatMap(({ sections }) => sections.map((one) => one.predicted ?? nothing));
  const rest = known.reduce(
    (left, one) => ({ read: left.read - one.read, written: left.written - one.written, fresh: left.fresh - one.fresh }),
    predicted ?? nothing,
  );
  const total = rest.read + rest.written + rest.fresh;
  const messages = counted(history?.messages ?? 0, "message");
  const besides = ["–", `tools, and ${messages}`, total, ...billed(rest)].map(String);
  return columns(["slot", "section", "tokens", "read", "written", "fresh"], [...rows, besides], output(screen));
}

function billed({ read, written, fresh }: CacheTokens = nothing): number[] {
  return [read, written, fresh];
}

function priceText({ name, price }: Receiver): string {
  if (!price) return `what ${name} costs is not known`;
  if (Object.values(price).every((amount) => amount === 0)) return `${name} costs nothing`;
  const { input, read, write, output: out } = price;
  return `a million cost $${input} fresh, $${read} read, $${write} written and $${out} of output on ${name}`;
}

function dollars(amount: number): string {
  return `$${amount === 0 ? "0" : amount.toPrecision(2)}`;
}
