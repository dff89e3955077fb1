import type { Proposal } from "../../amend/amend.ts";
import type { Operation } from "../../amend/operation.ts";
import { defined } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import { sha256 } from "../../store/texts/packing.ts";
import type { Caller } from "../caller.ts";
import { agent, user } from "../common-fields.ts";
import { flag, number, object, oneOf, text, type ValuesOf, whole } from "../field.ts";
import type { OperationContext, Output } from "../operation.ts";
import { quoteLines } from "../print/quote.ts";
import { verdictLines } from "../print/verdict.ts";
import { agentQuery } from "../prompt/agent-query.ts";
import { assembly, channel, edition } from "../prompt/prompt-options.ts";
import { outcomeAnswer, refusalAnswer } from "../proposals/outcome.ts";
import { actor, outcomeFields } from "../proposals/proposal-fields.ts";
import { sectionFor } from "../scope-for.ts";
import { sectionName } from "./section-fields.ts";

/** What every operation is given that changes words. */
export const wishFields = {
  agent,
  user: user.says("The user, for a section that each user has their own copy of."),
  section: sectionName.option("name", "s"),
  reason: text("Why; it is stored with the amendment.").option("text").optional(),
  revision: whole("The revision you have read. If the section has another by now, the change is refused as stale.", {
    least: 0,
  })
    .option("n")
    .optional(),
  dryRun: flag("Check the proposal without making it.").optional(),
  quote: flag("Check the proposal without making it, and estimate its cost.").optional(),
  key: text("The same key is the same proposal: one that is sent again is not made again.", {
    form: /[\s\S]/,
    reason: "is empty",
  })
    .example("9f1c")
    .option("k")
    .inHeader("idempotency-key")
    .optional(),
  actor: actor.says("Who proposes (default: operator; with --charter agent).").only("command").optional(),
  turn: text("The turn the change comes from.").option("id").only("command").optional(),
  model: text("For --quote: provider/model (default: the agent's).").option("name", "m").only("command").optional(),
  channel: channel.only("command"),
  edition: edition.only("command").optional(),
  ...assembly,
};

const price = object({ now: number(), perTurn: number() }, "In dollars.");
const quote = object({
  section: text(),
  happens: oneOf(["update", "fold", "baseline", "held"]),
  tokens: object({ before: number(), after: number(), rewritten: number(), carried: number() }),
  price: price.nullable(),
  breakEven: number().nullable(),
  receiver: text(),
  says: text(),
  session: text().nullable(),
  cold: flag(),
}).named("Quote", "What a change would cost before it is made.");

export const outcome = object({ ...outcomeFields, quote: quote.optional() }).named(
  "ProposalOutcome",
  "The outcome of a proposal.",
);

type Outcome = (typeof outcome)["holds"];

/** The one way words are changed: the guards are asked, and what they say is the answer. */
export async function propose(
  context: OperationContext,
  wish: ValuesOf<typeof wishFields>,
  operation: Operation,
): Promise<Outcome> {
  const { agent, dryRun, quote, key, model, revision } = wish;
  if (model !== undefined && !quote)
    throw new Problem("usage", "--model needs --quote.", "It says for which model the change is quoted.");
  const { user, ...turn } = agentQuery(wish);
  const { placed, snapshot } = await sectionFor(context, { agent, user, section: wish.section });
  const section = placed.section.name;
  const proposal: Proposal = {
    section,
    operation,
    actor: actorOf(context, wish.actor),
    ...defined({ reason: wish.reason, revision, turn: wish.turn }),
  };
  const { edition, limitTokens: tokens, limitChars: chars, timeLimit: seconds } = wish;
  const about = { ...turn, ...snapshot.scope, room: defined({ edition, tokens, chars }), seconds };
  const host = await context.host();
  const told = { scope: snapshot.scope, section };
  if (quote) {
    const { verdict, quote: price } = await (model === undefined ? host : host.at({ model })).quote(about, proposal);
    return { ...(await outcomeAnswer(host, told, verdict, revision)), ...defined({ quote: price }) };
  }
  const judging = await host.amendmentContext(about);
  // The key is kept as a digest: it outlives the words of its amendment, and may hold some.
  const keyed = key === undefined ? judging : { ...judging, idempotencyKey: sha256(key) };
  const { store } = context;
  const made = await (dryRun ? store.judge(judging, proposal) : store.propose(keyed, proposal).catch(rethrowKeyReused));
  return outcomeAnswer(host, told, made, revision);
}

/** What a model proposes is an agent's, whoever's token it has. */
function actorOf(
  { caller, isModel }: { readonly caller: Caller; readonly isModel?: boolean },
  named: Proposal["actor"] | undefined,
): Proposal["actor"] {
  if (isModel) return "agent";
  return caller.kind === "operator" ? (named ?? "operator") : "user";
}

/** The store knows a key by its digest, which whoever sent it has never seen. */
function rethrowKeyReused(error: unknown): never {
  if (!(error instanceof Problem) || error.code !== "key-reused") throw error;
  throw new Problem(error.code, "This Idempotency-Key was used for another proposal.", error.hint);
}

/** Only what was made has a revision, or waits under an id. */
export function outcomeStatus(answer: Outcome): { readonly status: number; readonly body?: unknown } {
  if (answer.verdict === "refused") return refusalAnswer(answer);
  if (answer.verdict === "held") return { status: answer.held === undefined ? 200 : 202 };
  return { status: answer.verdict === "accepted" && answer.revision !== undefined ? 201 : 200 };
}

export function outcomeLines(answer: Outcome, { user }: { readonly user?: string | undefined }): Output {
  const { verdict, publication, quote } = answer;
  const isDone = verdict === "accepted" || verdict === "unchanged";
  const isPublished = publication === undefined || publication.state === "published";
  return {
    out: [...verdictLines(answer as never), ...(quote ? quoteLines(quote, user) : [])],
    code: isDone && isPublished ? 0 : 1,
  };
}
