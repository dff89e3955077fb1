import { inDollars } from "../../delivery/cost.ts";
import type { Answer } from "../../delivery/model.ts";
import type { StepResult } from "../../prompt/step-result.ts";
import { agent, flag, list, number, object, oneOf, text, time, user, whole } from "../field.ts";
import { operation } from "../operation.ts";
import { columns } from "../print/columns.ts";

const cost = object({
  tokens: whole(),
  cold: number("In dollars, with nothing cached; null where its price is not known.").nullable(),
  warm: number("In dollars, with everything cached that the request before could leave there.").nullable(),
}).named("TrialCost", "What a request comes to.");

const said = object({
  text: text(),
  calls: list(object({ name: text(), input: text() }), "What it would call. Nothing of it is run."),
});

const gaps = ["erased", "let-go", "not-recorded", "charter-changed"] as const;

export const trySection = operation({
  name: "sections.try",
  says: "Try other words for a section on past turns",
  about:
    "Makes the first requests of the newest turns again from their receipts, as if the section had said so since the session began. No source is read, no tool, hook or extension runs, and nothing is written; `ask` has a model answer one of them, which costs, and is on record as the agent's.",
  route: "POST /agents/{agent}/sections/{section}/trial",
  command: "try <section>",
  examples: [
    'charter try soul --agent ada --content "Be brief."',
    ['charter try soul --agent ada --content "Be brief." --ask <turn>', "and what a model would have answered there"],
  ],
  who: "operator",
  input: {
    agent,
    section: text("The name of a section.").example("instructions"),
    user: user.says("The user, where each has a text of their own: only their turns are tried."),
    content: text("The words to try; default: those it had.").option("text").optional(),
    turns: whole("How many of the newest turns.", { least: 1, most: 200 }).option("number").optional(),
    ask: text("A turn whose request a model is asked with these words.").option("turn").optional(),
  },
  answer: object({
    section: text(),
    turns: list(
      object({
        ...{ turn: text(), at: time(), user: text().nullable(), session: text().nullable() },
        changed: flag("Other bytes than were sent."),
        cut: flag("It was trimmed to fit. What was cut is on no receipt."),
        before: cost,
        after: cost,
        over: object(
          { what: oneOf(["prompt", "request"]), unit: oneOf(["tokens", "characters"]), limit: whole(), by: whole() },
          "The limit that it would exceed.",
        ).nullable(),
      }),
      "Newest first.",
    ),
    missing: list(
      object({ because: oneOf(gaps), turns: whole() }),
      "How many turns are not made again: erased, let go, not recorded whole, or the charter has other words around the section by now.",
    ),
    answer: object(
      { turn: text(), model: text(), tried: said, recorded: said.nullable(), cost: number().nullable() },
      "The model's first answer, beside the one on record.",
    ).nullable(),
  }).named("Trial", "The first requests of past turns, as if a section had had other words."),
  statuses: { 200: "Nothing was changed." },
  refuses: [409, 410, 422, 502],
  run: async (context, { agent, user, section, content, turns = 20, ask }) => {
    const host = await context.host();
    const query = { agent, user: user ?? null, section, text: content, turns };
    const [{ tried, missing }, asked] = await Promise.all([
      host.trial(query),
      ask === undefined ? null : host.askTrial(query, ask),
    ]);
    const [first] = ask === undefined ? [] : await context.store.steps.of(ask);
    return {
      section,
      turns: tried.map(({ turn, changed, cut, before, after, over }) => ({
        ...{ turn: turn.id, at: turn.startedAt, user: turn.scope.user ?? null, session: turn.session },
        ...{ changed, cut, before, after, over },
      })),
      missing: gaps.flatMap((because) => (missing[because] > 0 ? [{ because, turns: missing[because] }] : [])),
      answer:
        asked && ask !== undefined
          ? {
              turn: ask,
              model: asked.model,
              tried: saidFacts(asked.answer),
              recorded: recordedFacts(first?.result ?? null),
              cost: asked.micros === null ? null : inDollars(asked.micros),
            }
          : null,
    };
  },
  lines: ({ turns, missing, answer }) => {
    const rows = turns.map(({ turn, before, after, over }) => [
      turn,
      `${before.tokens} → ${after.tokens}`,
      `${dollars(after.cold)} / ${dollars(after.warm)}`,
      over ? `${over.by} ${over.unit} over` : "",
    ]);
    return [
      ...columns(["turn", "tokens", "cold / warm", ""], rows, process.stdout),
      ...missing.map(({ because, turns }) => `${turns} not made again: ${because}`),
      ...(answer ? [`${answer.model}:`, answer.tried.text] : []),
    ];
  },
});

function saidFacts({ text, calls }: Pick<Answer, "text" | "calls">) {
  return { text, calls: calls.map(({ name, input }) => ({ name, input })) };
}

function recordedFacts(result: StepResult | null) {
  return result?.answer ? saidFacts(result.answer) : null;
}

function dollars(amount: number | null): string {
  return amount === null ? "?" : `$${amount.toPrecision(3)}`;
}
