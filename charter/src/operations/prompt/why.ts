import type { SentOccurrence } from "../../agent/replay.ts";
import { operationKinds, type Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Occurrence, Span } from "../../prompt/prompt.ts";
import type { Authors } from "../../store/amendments/amendments.ts";
import { scopeNamed } from "../../store/scope.ts";
import type { Store } from "../../store/store.ts";
import {
  agent,
  assembly,
  bare,
  channel,
  edition,
  flag,
  inDirectory,
  list,
  object,
  oneOf,
  text,
  time,
  whole,
  whose,
} from "../field.ts";
import { operation } from "../operation.ts";
import { actor } from "../proposal-fields.ts";

export const amendmentFields = {
  revision: whole(),
  operation: oneOf(operationKinds),
  actor,
  turn: text().nullable(),
  at: time(),
  reason: text().nullable(),
};

const amendment = object(amendmentFields, "The amendment that wrote it; null: it is in the original.");

const span = object({
  start: whole(),
  end: whole(),
  section: text(),
  layer: text(),
  source: text(),
  revision: whole().nullable(),
  trust: oneOf(["own", "user", "foreign"]),
  part: text().optional(),
  amendment: amendment.nullable().optional(),
});

const said = object(
  {
    what: oneOf(["input", "answer", "call", "result", "note", "summary", "schedule", "changed", "tool"]),
    turn: text().nullable(),
    tool: text().optional(),
    schedule: text().optional(),
  },
  "Of words that are not the charter's: who said them, in which turn.",
);

export const findWords = operation({
  name: "prompt.why",
  says: "Find where a text in the prompt comes from",
  about:
    "Section, layer, source and revision of every occurrence; of an agent also the amendment that wrote it: who, in which turn, when and why.",
  route: "GET /agents/{agent}/why",
  command: "why <words>",
  examples: [
    'charter why --charter sovereign "lower number wins"',
    'charter why --charter coder --input facts.json --json "AGENTS.md"',
    'charter why --agent ada --user bo "Be brief"',
    'charter why "Be brief" --turn 019c7a5e-3b1f-7c11-9b5e-0d9a3b1c2d4e',
  ],
  notes: "Options of a directory are for a coding agent without --input. Exit code 1: the text is not in the prompt.",
  tool: true,
  who: "operator",
  input: {
    agent: agent.optional().orOnlyOne(),
    user: whose,
    channel,
    words: text("The words to ask about, in quotes.", { form: /[\s\S]/, reason: "is empty" }).option("words"),
    turn: text("What this turn sent, in place of the next prompt; a step of it with `id/2`. Its receipt answers.")
      .option("id")
      .optional(),
    edition: edition.optional(),
    ...bare,
    ...assembly,
    ...inDirectory,
  },
  answer: object({
    words: text(),
    occurrences: list(
      object({
        slot: text(
          "Of a turn: the slot of its request that they are in, and that offsets are of; `messages` and `tools`: one of these.",
        ).optional(),
        ...{ start: whole(), end: whole(), spans: list(span) },
        said: said.optional(),
      }),
    ),
    identity: object(
      { slot: text(), sent: flag(), turn: text(), says: text() },
      "Where the last system prompt went, to an agent that keeps the conversation itself.",
    ).optional(),
  }).named(
    "WordSources",
    "Where words of the next prompt, or of what a turn sent, come from; offsets are JavaScript string indices.",
  ),
  statuses: { 200: "Every occurrence; none: the words are not in the prompt." },
  refuses: [422],
  run: async (context, { agent = "", user, channel, words, turn, edition: namedEdition }) => {
    if (turn !== undefined) {
      checkAlone({ user, channel, edition: namedEdition });
      const { found, missing } = await whySent(context.store, { turn, words, agent });
      if (found.length === 0 && missing) throw missing;
      return sentSources(words, found);
    }
    const [{ assembleReadings }, { why }, { authorsIn, copiesIn }, host] = await Promise.all([
      import("../../host/preview.ts"),
      import("../../prompt/prompt.ts"),
      import("../../store/amendments/amendments.ts"),
      context.host(),
    ]);
    const { declaredTurn, readings, tokenizer, edition } = await host.gather({ agent, user, channel });
    const prompt = assembleReadings(declaredTurn, readings, { tokenizer, edition: namedEdition ?? edition });
    const occurrences = why(prompt, words);
    const authors = await authorsIn(
      context.store.history,
      copiesIn(declaredTurn.charter, declaredTurn.turn),
      prompt.text,
      occurrences,
    );
    const scope = scopeNamed(agent, user ?? null);
    return wordSources(
      words,
      occurrences,
      authors,
      occurrences.length === 0 ? undefined : await sentIdentity(context.store, scope),
    );
  },
});

/** Refuses options next to a turn, which determines by itself what was sent. */
export function checkAlone(others: Readonly<Record<string, unknown>>): void {
  const extra = Object.keys(others).find((name) => others[name] !== undefined);
  if (extra === undefined) return;
  throw new Problem(
    "usage",
    `“${extra}” was given with a turn, which says by itself what it sent.`,
    "Leave either out.",
  );
}

/** Finds where words of a sent turn come from. With `agent`, the turn must be that agent's. */
export async function whySent(
  store: Store,
  { turn, words, agent }: { readonly turn: string; readonly words: string; readonly agent?: string | undefined },
) {
  const [{ findStep }, { whyInStep }, { unknownTurn }] = await Promise.all([
    import("../turns/replay.ts"),
    import("../../agent/replay.ts"),
    import("../../store/turns/turn.ts"),
  ]);
  const step = await findStep(store, turn);
  if (agent !== undefined && step.scope.agent !== agent) throw unknownTurn(turn);
  return { turn: step.turn, ...(await whyInStep(store, step, words)) };
}

export function sentSources(words: string, found: readonly SentOccurrence[]) {
  const occurrences = found.map(({ slot, said, ...one }) => ({
    ...{ slot, ...occurrenceFacts(one, one.authors) },
    ...(said ? { said } : {}),
  }));
  return { words, occurrences };
}

/** Answer about words that were looked for. */
export function wordSources(
  words: string,
  found: readonly Occurrence[],
  authors: ReadonlyMap<Occurrence, Authors>,
  identity: Awaited<ReturnType<typeof sentIdentity>>,
) {
  const occurrences = found.map((one) => occurrenceFacts(one, authors.get(one)));
  return { words, occurrences, ...(identity ? { identity } : {}) };
}

/** Each span with the amendment that wrote it; `null` if it is in the original. */
function occurrenceFacts({ start, end, spans }: Occurrence, authors: Authors = []) {
  const withAuthor = (span: Span, author: Authors[number]) =>
    author === undefined ? span : { ...span, amendment: author === "original" ? null : author };
  return { start, end, spans: spans.map((span, at) => withAuthor(span, authors[at])) };
}

/** Slot of the last turn's system prompt, if the model is an agent that keeps the conversation itself. */
export async function sentIdentity({ turns, steps }: Store, scope: Scope) {
  const [last] = await turns.list({ ...scope, limit: 1 });
  const identity = last && (await steps.of(last.id)).at(-1)?.receipt?.identity;
  if (!identity) return undefined;
  const { identityText } = await import("../../delivery/model.ts");
  return { ...identity, turn: last.id, says: identityText(identity) };
}
