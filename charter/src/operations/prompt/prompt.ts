import type { SnapshotQuery } from "../../host/host.ts";
import { hands } from "../../prompt/section.ts";
import { instantOf } from "../../schedules/instant.ts";
import {
  agent,
  anything,
  assembly,
  bare,
  channel,
  edition,
  flag,
  inDirectory,
  list,
  notice,
  number,
  object,
  oneOf,
  record,
  text,
  time,
  whole,
  whose,
} from "../field.ts";
import { operation } from "../operation.ts";
import { wholeRequest } from "../turns/replay.ts";
import { amendmentFields, findWords } from "./why.ts";

/** Fields of prompts, of what they are made from, and of the request they go out with. */

const sectionFields = {
  name: text(),
  layer: text(),
  mutability: oneOf(["fixed", "live", "amendable"]),
  stability: oneOf(["stable", "event", "state"]),
  trust: oneOf(["own", "user", "foreign"]),
  source: text(),
  revision: whole().nullable(),
  tokens: number(),
};

const sectionSpan = object({ ...sectionFields, start: whole(), end: whole() }).named(
  "SectionSpan",
  "A section's place in the text; offsets are JavaScript string indices.",
);

const cut = object({
  section: text(),
  form: oneOf(["shorter", "shortened", "compact", "dropped"]),
  kept: number(),
  missing: number(),
  unit: text(),
  because: text(),
}).named("Cut", "What was trimmed from a section to fit.");

const omission = object({ name: text(), reason: oneOf(["empty", "unavailable", "gave-way", "not-in-edition"]) });

const editionSent = oneOf(["full", "compact"]);

const queryFields = { agent: text(), user: text().nullable(), channel: text().nullable() };

const price = object(
  { input: number(), read: number(), write: number(), output: number() },
  "Dollars per million tokens.",
);

const promptInputs = object({
  ...queryFields,
  at: time("The moment it was read for."),
  charter: anything("The charter as it is declared, as plain data; what its sources gave is in `readings`."),
  readings: record(
    anything(),
    "What was read for each section: present, empty or unavailable. `assemble` makes the prompt of both.",
  ),
  notices: list(notice),
  edition: editionSent.says("The edition of the next turn, by the window of its model."),
  receiver: object(
    {
      name: text(),
      slots: oneOf(["layered", "one-string"]),
      window: number().nullable(),
      tokenizer: object({ name: text(), exact: flag() }),
      cacheMin: number("A prefix with fewer tokens is not cached; null where nothing is.").nullable(),
      price: price.nullable(),
    },
    "The model that would read it.",
  ),
  toolTokens: number("The tokens of the tools. They come before the prompt in every request, and are cached with it."),
  channels: list(text(), "The channels a turn can come from."),
}).named(
  "PromptInputs",
  "The inputs of the next prompt: enough to assemble it elsewhere, in any edition and for any limit.",
);

const hand = oneOf(hands);

const handSpan = object({
  length: whole(),
  hand,
  source: text(),
  trust: oneOf(["own", "user", "foreign"]),
  revision: whole("The revision that wrote it; 0: the original; null: it is read-only.").nullable(),
  part: text().optional(),
  replaced: oneOf([true], "A later update has other words for it.").optional(),
}).named("HandSpan", "A stretch of a section's text, and whose words it is.");

const nextRequest = object({
  ...queryFields,
  session: object(
    { id: text(), channel: text().nullable(), startedAt: time(), lastAt: time() },
    "The conversation the turn belongs to; null: it opens a new one.",
  ).nullable(),
  sent: object(
    { turn: text(), step: whole(), at: time(), digest: text("The digest of its receipt.") },
    "The request that it was; null: it is not sent yet.",
  ).nullable(),
  edition: editionSent,
  channels: list(text(), "The channels a turn can come from."),
  cuts: list(cut),
  omitted: list(omission),
  model: text(),
  window: number("The most tokens the model takes.").nullable(),
  cacheMin: number("A shorter prefix is not cached, tools included; null: none is.").nullable(),
  prefixChange: object(
    {
      how: oneOf(["opened", "kept", "updated", "folded"]),
      sections: list(text()).optional(),
      reason: text().optional(),
    },
    "What happens to the cached prefix: `opened` with this request, `kept`, `updated` (changes are sent as messages) or `folded` (rebuilt, with the reason). Null of one that was sent.",
  ).nullable(),
  request: wholeRequest,
  input: whole("Which of the messages is the user's, from 0; it is empty until it is said. Null: none.").nullable(),
  parts: list(
    object({
      slot: oneOf(["system", "update", "foreign", "state", "compaction"]),
      message: whole("Which of the messages it is, if it is one.").nullable(),
      sections: list(object({ ...sectionFields, text: text(), spans: list(handSpan) })),
    }),
    "The sections in the request: the prefix and the updates; `foreign`, untrusted text beside a prompt in one string; `compaction`, what asks for a summary; `state`, which earlier versions sent anew with each request.",
  ),
  said: list(
    object({
      message: whole(),
      kind: oneOf(["input", "answer", "results", "note", "summary", "schedule", "changed"]),
      turn: text("The turn it was said in; null: none that is kept, or the next.").nullable(),
      schedule: text().optional(),
      hands: list(hand, "Whose words it is; of a tool's results one each."),
      tokens: number(),
    }),
    "The messages that are no section's.",
  ),
  amendments: list(object({ section: text(), ...amendmentFields }), "The amendments that wrote words of its sections."),
  tokens: object({
    total: number("All of the request, without the user's message."),
    tools: number(),
    prefix: number(),
    history: number("Messages and updates."),
    state: number(),
    tokenizer: text(),
    exact: flag(),
  }),
  compactAt: number("A history of more tokens is summed up before the request; null: not known, or never.").nullable(),
  predicted: object(
    { read: number(), written: number(), fresh: number() },
    "The same tokens, by how they will probably be billed.",
  ).nullable(),
  billed: object(
    { read: number(), written: number(), fresh: number() },
    "As the provider billed them; null until then, and where it did not say.",
  ).nullable(),
  notices: list(notice),
}).named(
  "NextRequest",
  "The first request of the next turn, as it would be sent now, without the user's message; or one that was sent.",
);

export const prompt = object({
  text: text().optional(),
  digest: text("SHA-256 of the text's UTF-8 bytes.").optional(),
  edition: editionSent.optional(),
  tokens: object({ total: number(), tokenizer: text(), exact: flag() }).optional(),
  sections: list(sectionSpan).optional(),
  cuts: list(cut).optional(),
  omitted: list(omission).optional(),
  notices: list(notice).optional(),
  inputs: promptInputs.optional(),
  request: nextRequest.optional(),
}).named("Prompt", "A system prompt as the next turn would have it, with the parts that were asked for.");

const parts = list(
  oneOf(["text", "inputs", "request"]),
  "What is answered: `text` (default): the prompt itself; `inputs`: the charter and what was read for it, from which `assemble` of the package `charter` makes the same prompt, in any edition and for any limit; `request`: the first request of the next turn of a conversation, assembled as the turn itself does it, or one that was sent, with whose words each stretch of it is.",
  { least: 1 },
);

const showPrompt = operation({
  name: "prompt.show",
  says: "Get the prompt of the next turn",
  about: "Nothing is sent to a model, and nothing is stored.",
  route: "GET /agents/{agent}/prompt",
  command: "show",
  examples: [
    "charter show --agent ada --user bo --channel telegram",
    "charter show --charter assistant --input facts.json",
    "charter show --charter sovereign --input facts.json --table",
    "charter show --charter coder --cwd ~/projects/app",
    `echo '{"channel":"web"}' | charter show -c assistant -i - --json | jq .tokens`,
  ],
  notes:
    "The prompt goes to standard output, cuts and notices to standard error. With --agent, settings and current texts come from the database, and --input holds only the facts of this turn (now, tools). Options of a directory are for a coding agent without --input.",
  tool: true,
  who: "operator",
  input: {
    agent: agent.optional().orOnlyOne(),
    user: whose.says("The user: their own sections, their time zone."),
    channel,
    at: text("The time, ISO 8601; default: now. A `request` is then that of a new conversation.")
      .only("route")
      .optional(),
    parts: parts.only("route").optional(),
    session: text("For `request`: a session's id, or `new`; default: the one the turn belongs to.")
      .only("route")
      .optional(),
    turn: text("For `request`: what this turn sent with its first request, from its receipt; another one with `id/2`.")
      .only("route")
      .optional(),
    edition: edition.optional(),
    tokens: whole("The limit in tokens; default: what the charter says.", { least: 0 }).only("route").optional(),
    table: flag("Print a table of sections with their tokens instead of the text.").only("command").optional(),
    ...bare,
    ...assembly,
    ...inDirectory,
  },
  answer: prompt,
  statuses: { 200: "The parts that were asked for." },
  refuses: [409, 422],
  run: async (context, { parts = ["text"], edition, tokens, session, turn, ...asked }) => {
    const [host, made] = await Promise.all([context.host(), import("./prompt-parts.ts")]);
    const query = queryOf(asked);
    const { agent, user, channel } = query;
    return {
      ...(parts.includes("text") && (await made.textPart(host, { ...query, edition, tokens }))),
      ...(parts.includes("inputs") && { inputs: await made.inputsPart(host, query) }),
      ...(parts.includes("request") && {
        request: await made.requestPart(host, { ...query, agent, user, channel, session, turn, edition }),
      }),
    };
  },
});

type About = { readonly [Name in "agent" | "user" | "channel" | "at"]?: string | undefined };

function queryOf({ agent = "", user, channel, at }: About): SnapshotQuery {
  // A bare plus in an address is read as a space; a time contains no other.
  const when = at === undefined ? {} : { at: instantOf(at.replace(/(?<=T\S*) (?=\d\d:\d\d$)/, "+")) };
  return { agent, user, channel, ...when };
}

export const operations = [showPrompt, findWords];
