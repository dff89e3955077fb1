import { notice } from "../common-fields.ts";
import { anything, flag, list, number, object, oneOf, record, text, time, whole } from "../field.ts";
import { wholeRequest } from "../turns/sent-fields.ts";

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

const edition = oneOf(["full", "compact"]);

const asked = { agent: text(), user: text().nullable(), channel: text().nullable() };

const price = object(
  { input: number(), read: number(), write: number(), output: number() },
  "Dollars per million tokens.",
);

const promptInputs = object({
  ...asked,
  at: time("The moment it was read for."),
  charter: anything("The charter as it is declared, as plain data; what its sources gave is in `readings`."),
  readings: record(
    anything(),
    "What was read for each section: present, empty or unavailable. `assemble` makes the prompt of both.",
  ),
  notices: list(notice),
  edition: edition.says("The edition of the next turn, by the window of its model."),
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

const nextRequest = object({
  ...asked,
  session: object(
    { id: text(), channel: text().nullable(), startedAt: time(), lastAt: time() },
    "The conversation the next turn belongs to; null: it opens a new one.",
  ).nullable(),
  model: text(),
  cacheMin: number("A shorter prefix is not cached, tools included; null: none is.").nullable(),
  prefixChange: object(
    {
      how: oneOf(["opened", "kept", "updated", "folded"]),
      sections: list(text()).optional(),
      reason: text().optional(),
    },
    "What happens to the cached prefix: `opened` with this request, `kept`, `updated` (changes are sent as messages) or `folded` (rebuilt, with the reason).",
  ),
  request: wholeRequest,
  input: whole("Which of the messages is the user's, from 0. It is empty here."),
  parts: list(
    object({
      slot: oneOf(["system", "update", "state"]),
      message: whole("Which of the messages it is, if it is one.").nullable(),
      sections: list(object({ ...sectionFields, text: text() })),
    }),
    "The sections in the request: the prefix, the updates, the dynamic state.",
  ),
  tokens: object({
    total: number("All of the request, without the user's message."),
    tools: number(),
    prefix: number(),
    history: number("Messages and updates."),
    state: number(),
    tokenizer: text(),
    exact: flag(),
  }),
  predicted: object(
    { read: number(), written: number(), fresh: number() },
    "The same tokens, by how they will probably be billed.",
  ),
  notices: list(notice),
}).named("NextRequest", "The first request of the next turn, as it would be sent now, without the user's message.");

export const prompt = object({
  text: text().optional(),
  digest: text("SHA-256 of the text's UTF-8 bytes.").optional(),
  edition: edition.optional(),
  tokens: object({ total: number(), tokenizer: text(), exact: flag() }).optional(),
  sections: list(sectionSpan).optional(),
  cuts: list(cut).optional(),
  omitted: list(omission).optional(),
  notices: list(notice).optional(),
  inputs: promptInputs.optional(),
  request: nextRequest.optional(),
}).named("Prompt", "A system prompt as the next turn would have it, with the parts that were asked for.");
