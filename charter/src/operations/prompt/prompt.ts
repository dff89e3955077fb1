import type { SnapshotQuery } from "../../host/host.ts";
import { instantOf } from "../../schedules/instant.ts";
import { agent, user } from "../common-fields.ts";
import { flag, list, oneOf, text, whole } from "../field.ts";
import { operation } from "../operation.ts";
import { prompt } from "./prompt-fields.ts";
import { assembly, bare, channel, edition, inDirectory } from "./prompt-options.ts";
import { findWords } from "./why.ts";

const parts = list(
  oneOf(["text", "inputs", "request"]),
  "What is answered: `text` (default): the prompt itself; `inputs`: the charter and what was read for it, from which `assemble` of the package `charter` makes the same prompt, in any edition and for any limit; `request`: the first request of the next turn of a conversation, assembled as the turn itself does it.",
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
    agent: agent.optional(),
    user: user.says("The user: their own sections, their time zone."),
    channel,
    at: text("The time, ISO 8601; default: now. Not for `request`.").only("route").optional(),
    parts: parts.only("route").optional(),
    session: text("For `request`: a session's id, or `new`; default: the one the turn belongs to.")
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
  run: async (context, { parts = ["text"], edition, tokens, session, ...asked }) => {
    const [host, made] = await Promise.all([context.host(), import("./prompt-parts.ts")]);
    const query = queryOf(asked);
    const { agent, user, channel } = query;
    return {
      ...(parts.includes("text") && (await made.textPart(host, { ...query, edition, tokens }))),
      ...(parts.includes("inputs") && { inputs: await made.inputsPart(host, query) }),
      ...(parts.includes("request") && { request: await made.requestPart(host, { agent, user, channel, session }) }),
    };
  },
});

type About = { readonly [Name in "agent" | "user" | "channel" | "at"]?: string | undefined };

function queryOf({ agent = "", user, channel, at }: About): SnapshotQuery {
  // In an address a bare plus is read as a space, and a time has no other place for one.
  const when = at === undefined ? {} : { at: instantOf(at.replace(/(?<=T\S*) (?=\d\d:\d\d$)/, "+")) };
  return { agent, user, channel, ...when };
}

export const operations = [showPrompt, findWords];
