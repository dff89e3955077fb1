import { type SentOccurrence, whyInStep } from "../../agent/replay.ts";
import { addTokens, noCacheTokens } from "../../delivery/bill.ts";
import { addUsage, dollarText, noUsage, stepCost, sumCosts } from "../../delivery/cost.ts";
import { slotText, type Usage } from "../../delivery/model.ts";
import { knownReceiver } from "../../delivery/models/find-model.ts";
import { loadReceiverTokenizer, type Receiver } from "../../delivery/receiver.ts";
import { columns, table } from "../../operations/print/columns.ts";
import { plainText, wrapText } from "../../operations/print/plain-text.ts";
import { occurrenceText, sentText } from "../../operations/prompt/occurrence.ts";
import { showCost } from "../../operations/turns/cost.ts";
import { counted, Problem } from "../../prompt/problem.ts";
import { why } from "../../prompt/prompt.ts";
import type { CacheTokens, Receipt } from "../../prompt/receipt.ts";
import { authorsIn, copiesIn } from "../../store/amendments/amendments.ts";
import type { Step } from "../../store/turns/steps.ts";
import type { SlashCommand } from "../terminal/conversation.ts";
import { output, type Paint, type Screen } from "../terminal/screen.ts";
import { ran, type Talk } from "./talk.ts";

/** Command that shows the whole prompt: that of the next request, or of the last one as it was sent. */
export function promptCommand(talk: Talk, screen: Screen): SlashCommand {
  return {
    name: "prompt",
    usage: "[table|sent]",
    summary: "show the next prompt, a table of its sections, or what was sent last",
    run: async (words) => {
      if (words === "sent") return sent(talk, screen);
      if (words !== "" && words !== "table")
        throw new Problem(
          "usage",
          `/prompt does not understand “${words}”.`,
          "Say /prompt, /prompt table or /prompt sent.",
        );
      const prompt = await talk.nextPrompt();
      const tokenizer = await loadReceiverTokenizer(talk.model().receiver.tokenizer);
      if (words === "table") return table(prompt, tokenizer, output(screen)).trimEnd().split("\n");
      const { total } = prompt.tokens(tokenizer);
      const about = `${total} tokens (${tokenizer.exact ? "exact" : "estimated"}). By section: /prompt table. What was really sent: /prompt sent.`;
      return [...plainText(prompt.text).split("\n"), screen.paint.dim(about)];
    },
  };
}

async function sent({ store, lastTurn }: Talk, { paint }: Screen): Promise<string[]> {
  const turn = await lastTurn();
  if (turn === undefined) return ["Nothing was sent in this session yet."];
  const { step, receipt, slots } = await store.steps.replay(turn);
  const { history } = receipt;
  const lines = slots.flatMap(({ slot, text }, index) => {
    const at = receipt.slots[index]?.message;
    const where = at === undefined ? slotText(slot, receipt) : `${slot}, message ${at + 1}`;
    return [paint.cyan(`--- ${where}`), ...plainText(text).split("\n")];
  });
  const messages = history ? `, after ${counted(history.messages, "message")} of history` : "";
  return [...lines, paint.dim(`Turn ${turn}, step ${step}, to ${receipt.receiver ?? "nobody"}${messages}.`)];
}

/** Command that finds who wrote a text in the last request; if it was never sent, in the next one. */
export function whyCommand(talk: Talk, { paint }: Screen): SlashCommand {
  return {
    name: "why",
    usage: "words",
    summary: "find where a text in the last prompt comes from",
    run: async (words) => {
      if (words === "") throw new Problem("usage", "/why needs the words to ask about.", "As in: /why bullet points");
      const turn = await talk.lastTurn();
      const sent = turn === undefined ? [] : await sentAnswers(talk, turn, words);
      const { said = [], written = [] } = Object.groupBy(sent, (one) => (one.said ? "said" : "written"));
      const [saidLines, writtenLines] = [linesOfSlots(said, paint), linesOfSlots(written, paint)];
      if (writtenLines.length > 0) return [...saidLines, ...writtenLines];
      const next = await nextAnswers(talk, words);
      if (next.length > 0 && turn !== undefined)
        return [...saidLines, paint.dim("not in the last prompt, but in the next"), ...next];
      if (saidLines.length + next.length > 0) return [...saidLines, ...next];
      return turn === undefined
        ? [`“${words}” is not in the next prompt. See it with /prompt.`]
        : [`“${words}” is neither in the last prompt nor in the next. See them with /prompt sent and /prompt.`];
    },
  };
}

type SentAnswer = SentOccurrence & { readonly place: string; readonly lines: readonly string[] };

async function sentAnswers({ store }: Talk, turn: string, words: string): Promise<SentAnswer[]> {
  const { scope } = await store.turns.get(turn);
  const step = await store.steps.replay(turn);
  const { found } = await whyInStep(store, { ...step, scope }, words);
  return found.map((one) => ({
    ...{ ...one, lines: linesOf(sentText(one, turn)) },
    place: one.said ? one.slot : `slot ${slotText(one.slot, step.receipt)}`,
  }));
}

function linesOfSlots(found: readonly SentAnswer[], paint: Paint): string[] {
  const bySlot = Map.groupBy(found, ({ place, text }) => `${place}\0${text}`);
  return [...bySlot.values()].flatMap((all) => [
    paint.dim((all[0] as SentAnswer).place),
    ...all.flatMap(({ lines }) => lines),
  ]);
}

async function nextAnswers(talk: Talk, words: string): Promise<string[]> {
  const { charter, turn } = await talk.declaredTurn();
  const prompt = await talk.nextPrompt();
  const occurrences = why(prompt, words);
  const authors = await authorsIn(talk.store.history, copiesIn(charter, turn), prompt.text, occurrences);
  return occurrences.flatMap((one) => linesOf(occurrenceText(one, prompt.text, authors.get(one))));
}

function linesOf(answer: string): string[] {
  return answer.trimEnd().split("\n");
}

/** Command that shows what the requests have cost. */
export function costCommand(talk: Talk, screen: Screen): SlashCommand {
  return {
    name: "cost",
    summary: "the cost of the last turn, the session and all turns with you",
    run: async () => [...(await allTurns(talk)), ...(await thisSession(talk, screen))],
  };
}

/** Lines about all turns with this user, as `charter cost` prints them. */
async function allTurns(talk: Talk): Promise<readonly string[]> {
  const { agent, user } = talk.scope;
  const query = { agent, user };
  const printed = showCost.lines?.(await ran(talk, showCost, query), query) ?? [];
  return "out" in printed ? printed.out : printed;
}

/** Lines about the last turn, step by step, and its whole session: as predicted, and as the provider counted. */
async function thisSession(talk: Talk, screen: Screen): Promise<string[]> {
  const { store } = talk;
  const { receiver } = talk.model();
  const { models } = talk.host();
  /** Each step is priced by the model it was sent to, even if the talk has switched to another. */
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

/** Rows of a prediction, and below it of what the provider counted. */
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

/** Rows of second opinions, which are billed by their own model. */
function opinionRows(steps: readonly Step[]): string[][] {
  const opinions = steps.flatMap(({ result }) => result?.opinions ?? []);
  if (opinions.length === 0) return [];
  const usage = opinions.reduce((sum, one) => addUsage(sum, one.usage), noUsage);
  const cost = sumCosts(opinions.map((one) => one.cost));
  return [
    ["", counted(opinions.length, "second opinion"), ...tokenCells(usage), cost === null ? "–" : dollarText(cost)],
  ];
}

function tokenCells({ input, read, written, output }: Usage): string[] {
  const fresh = input === null ? null : Math.max(0, input - (read ?? 0) - (written ?? 0));
  return [read, written, fresh, output].map((count) => (count === null ? "–" : String(count)));
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
  const { input, read, write, output } = price;
  return `a million cost $${input} fresh, $${read} read, $${write} written and $${output} of output on ${name}`;
}
