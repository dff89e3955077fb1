import { addTokens, noCacheTokens } from "../../delivery/bill.ts";
import { addUsage, noUsage, stepCost, sumCosts } from "../../delivery/cost.ts";
import type { Usage } from "../../delivery/model.ts";
import { knownReceiver } from "../../delivery/models/table/find-model.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import { columns } from "../../operations/print/columns.ts";
import { wrapText } from "../../operations/print/wrap.ts";
import { dollarText, showCost } from "../../operations/turns/cost.ts";
import { counted } from "../../prompt/problem.ts";
import type { CacheTokens, Receipt } from "../../prompt/receipt.ts";
import type { Step } from "../../store/turns/steps.ts";
import type { Screen } from "../terminal/screen.ts";
import type { SlashCommand } from "../terminal/slash-command.ts";
import { output } from "./output.ts";
import type { Talk } from "./talk.ts";
import { ran } from "./talk-operation.ts";

/** What was sent cost. */
export function costCommand(talk: Talk, screen: Screen): SlashCommand {
  return {
    name: "cost",
    summary: "the cost of the last turn, the session and all turns with you",
    run: async () => [...(await allTurns(talk)), ...(await thisSession(talk, screen))],
  };
}

/** What all turns with this user have cost: as `charter cost` says it. */
async function allTurns(talk: Talk): Promise<readonly string[]> {
  const { agent, user } = talk.scope;
  const asked = { agent, user };
  const printed = showCost.lines?.(await ran(talk, showCost, asked), asked) ?? [];
  return "out" in printed ? printed.out : printed;
}

/** The last turn step by step, and all of its session: as predicted, and as the provider counted. */
async function thisSession(talk: Talk, screen: Screen): Promise<string[]> {
  const { store } = talk;
  const { receiver } = talk.model();
  const { models } = talk.host();
  /** Each step is paid by the price of the model it was sent to, whichever the talk goes on with. */
  const receiverOf = ({ receipt }: Step) =>
    receipt?.receiver == null || receipt.receiver === receiver.name
      ? receiver
      : knownReceiver(receipt.receiver, models);
  const [turn, session] = [await talk.lastTurn(), talk.session()];
  if (turn === undefined || session === undefined) return ["Nothing was sent in this session yet."];
  const steps = await store.steps.of(turn);
  const earlier: Step[] = [];
  const turns = (await store.sessions.history(session)).filter(({ told, before }) => !told && !before);
  for (const { id } of turns) earlier.push(...(id === turn ? steps : await store.steps.of(id)));
  const title = (text: string) => screen.paint.bold(text);
  const rows = [
    ...steps.flatMap((step) => [...twoRows(`step ${step.step}`, [step], receiverOf), ...opinionRows([step])]),
    ...twoRows("session", earlier, receiverOf),
    ...opinionRows(earlier),
  ];
  const names = ["", "", "read", "written", "fresh", "output", "cost"];
  const receipt = steps.at(-1)?.receipt ?? null;
  return [
    title(`Turn ${turn}, and its session: ${counted(turns.length, "turn")}, ${counted(earlier.length, "step")}`),
    ...columns(names, rows, output(screen)),
    ...(receipt ? ["", title("The last step, section by section, as predicted"), ...bySection(receipt, screen)] : []),
    ...wrapText(`In tokens; ${priceText(receiver)}.`, screen.width).map(screen.paint.dim),
  ];
}

/** What was predicted, and under it what the provider counted. */
function twoRows(name: string, steps: readonly Step[], receiverOf: (step: Step) => Receiver): string[][] {
  const predicted = steps.reduce(
    (sum, { receipt }) => addTokens(sum, receipt?.predicted ?? noCacheTokens),
    noCacheTokens,
  );
  const usage = steps.reduce((sum, step) => addUsage(sum, usageOf(step)), noUsage);
  const billable = steps.filter((step) => usageOf(step).input !== null);
  const cost = sumCosts(billable.map((step) => stepCost({ usage: usageOf(step) }, receiverOf(step))));
  return [
    [name, "predicted", ...billed(predicted).map(String), "", ""],
    ["", "billed", ...tokenCells(usage), cost === null ? "–" : dollarText(cost)],
  ];
}

/** Second opinions are billed by their own model, and stand beside what the turn's model was sent. */
function opinionRows(steps: readonly Step[]): string[][] {
  const opinions = steps.flatMap(({ result }) => result?.opinions ?? []);
  if (opinions.length === 0) return [];
  const usage = opinions.reduce((sum, one) => addUsage(sum, one.usage), noUsage);
  const cost = sumCosts(opinions.map((one) => one.cost));
  return [
    ["", counted(opinions.length, "second opinion"), ...tokenCells(usage), cost === null ? "–" : dollarText(cost)],
  ];
}

function tokenCells({ input, read, written, output: said }: Usage): string[] {
  const fresh = input === null ? null : Math.max(0, input - (read ?? 0) - (written ?? 0));
  return [read, written, fresh, said].map((count) => (count === null ? "–" : String(count)));
}

function usageOf({ result }: Step): Usage {
  return result?.usage ?? noUsage;
}

function bySection({ slots, history, predicted }: Receipt, screen: Screen): string[] {
  const rows = slots.flatMap(({ slot, sections }) =>
    sections.map((one) => [slot, one.name, one.tokens ?? 0, ...billed(one.predicted)].map(String)),
  );
  const known = slots.flatMap(({ sections }) => sections.map((one) => one.predicted ?? noCacheTokens));
  const rest = known.reduce(
    (left, one) => ({ read: left.read - one.read, written: left.written - one.written, fresh: left.fresh - one.fresh }),
    predicted ?? noCacheTokens,
  );
  const total = rest.read + rest.written + rest.fresh;
  const messages = counted(history?.messages ?? 0, "message");
  const besides = ["–", `tools, and ${messages}`, total, ...billed(rest)].map(String);
  return columns(["slot", "section", "tokens", "read", "written", "fresh"], [...rows, besides], output(screen));
}

function billed({ read, written, fresh }: CacheTokens = noCacheTokens): number[] {
  return [read, written, fresh];
}

function priceText({ name, price }: Receiver): string {
  if (!price) return `what ${name} costs is not known`;
  if (Object.values(price).every((amount) => amount === 0)) return `${name} costs nothing`;
  const { input, read, write, output: out } = price;
  return `a million cost $${input} fresh, $${read} read, $${write} written and $${out} of output on ${name}`;
}
