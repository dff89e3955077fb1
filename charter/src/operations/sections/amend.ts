import type { Proposal } from "../../amend/amend.ts";
import { operationKinds, type Scope } from "../../amend/amendment.ts";
import type { Operation } from "../../amend/operation.ts";
import type { Host } from "../../host/host.ts";
import type { AgentSnapshot } from "../../host/snapshot.ts";
import { defined } from "../../prompt/argument.ts";
import { type PlacedSection, sectionMutability, sectionScope } from "../../prompt/charter.ts";
import { Problem } from "../../prompt/problem.ts";
import { mutabilityName } from "../../prompt/section.ts";
import { copyScope } from "../../store/scope.ts";
import { sha256 } from "../../store/texts/packing.ts";
import { sectionFor } from "../caller.ts";
import {
  agent,
  assembly,
  bare,
  channel,
  edition,
  flag,
  list,
  notice,
  number,
  object,
  oneOf,
  scope,
  text,
  time,
  user,
  type ValuesOf,
  whole,
} from "../field.ts";
import { type OperationContext, type Output, operation } from "../operation.ts";
import { outcomeAnswer, quoteLines, refusalAnswer, verdictLines } from "../print/verdict.ts";
import { agentQuery } from "../prompt/agent-query.ts";
import { actor, change, outcomeFields } from "../proposal-fields.ts";

/** Fields of sections, and of what happens to them. */

export const sectionName = text("The name of a section.").example("instructions");
const mutability = oneOf(["fixed", "live", "amendable"]);

export const section = object({
  name: text().example("instructions").told(),
  layer: text(),
  owner: text("Who is responsible for the layer.").example("operator").nullable(),
  heading: text().example("## User Instructions").told().nullable(),
  mutability: mutability.told(),
  amendableBy: list(actor, "Who can change it: `agent`, `user` or `operator`.").told(),
  approvedBy: oneOf(["operator", "nobody"], "Who approves what others change; null if it is not said.")
    .told()
    .nullable(),
  scope: oneOf(["agent", "user"], "`agent`: one text for all users. `user`: each user has their own.").told(),
  original: text("The original text; reset goes back to it.").told().nullable(),
  text: text("The current text. Null if it is generated per turn, or if it is per user and no user was given.")
    .told()
    .nullable(),
  rendered: text("As it is in the next prompt, with its heading. Null if it is not in it.").nullable(),
  revision: whole("The number of amendments so far; proposals name it.").told().nullable(),
  updatedAt: time("When it was last amended.").told().nullable(),
  updatedByTurn: text("The turn that last amended it; null if a person did.").told().nullable(),
  digest: text("For a fixed section: the SHA-256 of its text, as pinned in charter.lock. Otherwise null.")
    .told()
    .nullable(),
  notices: list(notice).told(),
}).named("Section");

export type SectionFacts = Awaited<ReturnType<typeof sectionFacts>>[number];

/** Facts of sections: what they are, their current text, how they stand in the prompt, and who changed them last. */
export async function sectionFacts(host: Host, snapshot: AgentSnapshot, wanted: readonly PlacedSection[]) {
  const { declaredTurn, scope } = snapshot;
  const facts = wanted.map((placed) => {
    const mutability = sectionMutability(placed.section, placed.layer);
    const copies = sectionScope(placed.section, placed.layer);
    const known = typeof mutability === "object" && (copies === "agent" || scope.user !== undefined);
    const standing = declaredTurn.turn.standing[placed.section.name];
    const stands = standing && "text" in standing ? standing : undefined;
    const revision = known ? (stands?.revision ?? 0) : null;
    return { ...placed, mutability, copies, known, stands, revision };
  });
  const [rendered, amended] = await Promise.all([renderings(host, scope), lastAmendments(host, scope, facts)]);
  return facts.map(({ section, layer, mutability, copies, known, stands, revision }) => {
    const { name, heading = null, original = "", words } = section;
    const amendable = typeof mutability === "object";
    const last = amended.get(name);
    return {
      ...{ name, layer: layer.name, owner: layer.owner ?? null, heading, mutability: mutabilityName(mutability) },
      amendableBy: amendable ? mutability.amendableBy : [],
      approvedBy: amendable ? (mutability.approvedBy ?? null) : null,
      scope: copies,
      original: amendable ? original : null,
      text: known ? (stands?.text ?? original) : (words ?? null),
      rendered: rendered.get(name) ?? null,
      revision,
      updatedAt: last?.at ?? null,
      updatedByTurn: last?.turn ?? null,
      digest: mutability === "fixed" ? sha256(words ?? "") : null,
      notices: stands?.notices ?? [],
    };
  });
}

/** Renders each section as the next prompt has it. Returns none if no prompt can be made: commands that show one say why. */
async function renderings(host: Host, scope: Scope): Promise<ReadonlyMap<string, string>> {
  try {
    const { prompt } = await host.preview(scope);
    return new Map(prompt.sections.map(({ name, start, end, gap }) => [name, prompt.text.slice(start, end - gap)]));
  } catch (error) {
    if (error instanceof Problem) return new Map();
    throw error;
  }
}

type Revised = PlacedSection & { readonly revision: number | null };

async function lastAmendments({ store }: Host, scope: Scope, found: readonly Revised[]) {
  const ranges = found.flatMap(({ revision, ...placed }) =>
    revision === null || revision === 0
      ? []
      : [{ scope: copyScope(placed, scope), section: placed.section.name, after: revision - 1, upTo: revision }],
  );
  const entries = ranges.length === 0 ? [] : await store.history.between(ranges);
  return new Map(entries.map((entry) => [entry.section, entry]));
}

/** Input fields of every operation that changes text. */
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

export const outcome = object({ ...outcomeFields, scope: scope.told().optional(), quote: quote.optional() }).named(
  "ProposalOutcome",
  "The outcome of a proposal.",
);

type Outcome = (typeof outcome)["holds"];

/** Changes text in the one way there is: the guards decide, and their verdict is the answer. */
export async function propose(
  context: OperationContext,
  wish: ValuesOf<typeof wishFields>,
  operation: Operation,
): Promise<Outcome> {
  const { agent, dryRun, quote, key, model, revision } = wish;
  if (model !== undefined && !quote)
    throw new Problem("usage", "--model needs --quote.", "It says for which model the change is quoted.");
  const { user, ...turn } = agentQuery(wish);
  const { placed, snapshot, scope } = await sectionFor(context, { agent, user, section: wish.section });
  const section = placed.section.name;
  const proposal: Proposal = {
    section,
    operation,
    actor: actorOf(context, wish.actor),
    ...defined({ reason: wish.reason, revision, turn: wish.turn }),
  };
  const { edition, limitTokens, limitChars, timeLimit } = wish;
  const about = {
    ...turn,
    ...snapshot.scope,
    room: defined({ edition, tokens: limitTokens, chars: limitChars }),
    seconds: timeLimit,
    ...(context.model?.trusted === false ? { taintedBy: elsewhere } : {}),
  };
  const host = await context.host();
  const target = { scope: snapshot.scope, section };
  if (quote) {
    const { verdict, quote: costQuote } = await (model === undefined ? host : host.at({ model })).quote(
      about,
      proposal,
    );
    return { ...(await outcomeAnswer(host, target, verdict, revision)), scope, ...defined({ quote: costQuote }) };
  }
  const judging = await host.amendmentContext(about);
  // The key is stored as a digest: it is kept longer than its amendment's text, and may contain some of it.
  const keyed = key === undefined ? judging : { ...judging, idempotencyKey: sha256(key) };
  const { store } = context;
  const outcome = await (dryRun
    ? store.judge(judging, proposal)
    : store.propose(keyed, proposal).catch(rethrowKeyReused));
  return { ...(await outcomeAnswer(host, target, outcome, revision)), scope };
}

/** Says why what a model proposes over MCP waits, to go on after “because”. */
const elsewhere = "a model proposed it over MCP, and what else that has read is not known here";

/** Actor of a change. A model's proposals are the agent's, whatever token it uses. */
function actorOf(
  { caller, model }: Pick<OperationContext, "caller" | "model">,
  named: Proposal["actor"] | undefined,
): Proposal["actor"] {
  if (model) return "agent";
  return caller.kind === "operator" ? (named ?? "operator") : "user";
}

/** Rewords the store's error: the sender has never seen the digest by which the store knows the key. */
function rethrowKeyReused(error: unknown): never {
  if (!(error instanceof Problem) || error.code !== "key-reused") throw error;
  throw new Problem(error.code, "This Idempotency-Key was used for another proposal.", error.hint);
}

/** HTTP status of an outcome: 201 only for a change that was made, 202 only for one that waits under an id. */
function outcomeStatus(answer: Outcome): { readonly status: number; readonly body?: unknown } {
  if (answer.verdict === "refused") return refusalAnswer(answer);
  if (answer.verdict === "held") return { status: answer.held === undefined ? 200 : 202 };
  return { status: answer.verdict === "accepted" && answer.revision !== undefined ? 201 : 200 };
}

export function outcomeLines(answer: Outcome, { user }: { readonly user?: string | undefined }): Output {
  const { verdict, publication, quote, scope } = answer;
  const [first = "", ...more] = verdictLines(answer as never);
  const whom =
    scope === undefined ? "" : ` (“${scope.agent}”, for ${scope.user === undefined ? "all" : `“${scope.user}”`})`;
  const isDone = verdict === "accepted" || verdict === "unchanged";
  const isPublished = publication === undefined || publication.state === "published";
  return {
    out: [`${first}${whom}`, ...more, ...(quote ? quoteLines(quote, user) : [])],
    code: isDone && isPublished ? 0 : 1,
  };
}

const answering = {
  who: "person",
  answer: outcome,
  statuses: {
    201: "Accepted: used from the next prompt on.",
    200: "It was only checked (`dryRun`, `quote`), or the text is the current one already: nothing is stored.",
    202: "It waits for approval: `held` is its id.",
  },
  refuses: [409, 410, 422],
  wire: outcomeStatus,
  lines: outcomeLines,
} as const;

const exits =
  "Exit code 0: accepted, or unchanged. 1: refused, waiting for approval (charter approve, charter reject), or not published yet (a core memory).";
const goingBack = `This is an amendment like any other: guards check it, and the history is kept.\n${exits}`;
const to = whole("The revision to go back to; 0 is the original.", { least: 0 }).option("revision");

const make = operation({
  ...answering,
  name: "sections.propose",
  says: "Propose a change to a section",
  about:
    "The only way to change text. Every guard checks the change, and all refusals are answered. An operator proposes as operator, a user as user and only for the sections that each user has their own copy of. What a model proposes over MCP is the agent's, and waits for a person, unless the operator trusts the model: `held` is then the id to approve it by, and nothing has changed yet.",
  route: "POST /agents/{agent}/proposals",
  tool: true,
  example: { section: "instructions", operation: { kind: "append", content: "- Answer in French." }, user: "bo" },
  input: { ...wishFields, operation: change },
  run: (context, { operation, ...wish }) => propose(context, wish, operation),
});

const amend = operation({
  ...answering,
  name: "sections.amend",
  says: "Change a section's text; guards check the change",
  about:
    "In a database the change is kept. Every guard checks it, and all refusals are printed. With a charter and facts nothing is kept, so --dry-run is required.",
  command: "amend <section?>",
  examples: [
    'charter amend --agent ada --user bo -s instructions -o rewrite --content "Be brief." --actor user',
    'charter amend --agent ada -s soul -o append --content-file more.md --reason "asked for" --revision 3',
    'charter amend --agent ada -s soul -o append --content "Be kind." --dry-run',
    'charter amend --agent ada --user bo -s soul -o append --content "Be kind." --quote',
    'charter amend -c artifact -i facts.json -s prompt -o replace_section --marker "## Goals" --content "1. Rest" --dry-run',
    "charter amend -c sovereign -s 6 -o rewrite --content-file loop.md --dry-run --json",
  ],
  notes: exits,
  input: {
    ...wishFields,
    agent: agent.optional().orOnlyOne(),
    ...bare,
    operation: oneOf(operationKinds, "What is done with its text.").option("o", "o"),
    content: text("The text.").option("text").orFile().optional(),
    compact: text("What stands for the changed text in the compact edition, of a section with such a line.")
      .option("line")
      .optional(),
    marker: text('For replace_section: the heading, with its level ("## Goals").').option("heading").optional(),
    to: to.says("For revert: the revision to go back to.").optional(),
  },
  run: (context, { agent = "", ...wish }) => propose(context, { agent, ...wish }, changeOf(wish)),
});

type Typed = {
  readonly operation: Operation["kind"];
  readonly content?: string | undefined;
  readonly compact?: string | undefined;
  readonly marker?: string | undefined;
  readonly to?: number | undefined;
};

/** Builds a change from the options of the command. */
export function changeOf({ operation, content, compact, marker, to }: Typed): Operation {
  const needs = (what: string) => new Problem("usage", what, "See charter amend --help.");
  if (operation === "reset") return { kind: operation };
  if (operation === "revert") {
    if (to === undefined) throw needs("charter amend needs --to.");
    return { kind: operation, to };
  }
  if (operation === "replace_section" && !marker) throw needs("charter amend needs --marker.");
  if (content === undefined) throw needs(`The operation ${operation} needs --content or --content-file.`);
  const words = { content, ...(compact === undefined ? {} : { compact }) };
  return operation === "replace_section"
    ? { kind: operation, marker: marker as string, ...words }
    : { kind: operation, ...words };
}

const revert = operation({
  ...answering,
  name: "sections.revert",
  says: "Go back to an earlier revision of a section",
  about: "An amendment like any other: the history is kept.",
  route: "POST /agents/{agent}/sections/{section}/revert",
  command: "revert <section?>",
  examples: [
    "charter history --agent ada soul",
    'charter revert --agent ada soul --to 3 --reason "it was better"',
    "charter revert --agent ada --user bo instructions --to 0",
  ],
  notes: goingBack,
  example: { to: 3 },
  input: { ...wishFields, to },
  run: (context, { to, ...wish }) => propose(context, wish, { kind: "revert", to }),
});

const reset = operation({
  ...answering,
  name: "sections.reset",
  says: "Go back to a section's original text",
  command: "reset <section?>",
  examples: ["charter reset --agent ada soul", "charter reset --agent ada --user bo instructions --dry-run"],
  notes: goingBack,
  input: wishFields,
  run: (context, wish) => propose(context, wish, { kind: "reset" }),
});

export const amending = [make, amend, revert, reset];
