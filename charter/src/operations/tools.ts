import { findHeld } from "../host/decide.ts";
import { listed, Problem } from "../prompt/problem.ts";
import type { HeldProposal } from "../store/amendments/held-proposal.ts";
import { checkUser } from "../store/scope.ts";
import { callScopeFor } from "./caller.ts";
import { agent, anything, flag, list, object, record, text, user } from "./field.ts";
import { operation } from "./operation.ts";
import { columns } from "./print/columns.ts";

const tool = object({
  name: text().example("save_memory"),
  description: text(),
  input: record(anything(), "A JSON Schema of what it takes."),
  trusted: flag("Its results are the program's own words, no untrusted text."),
  reads: flag("It changes nothing."),
  harmless: flag("It changes something, and may all the same run in a turn with untrusted text: others need approval."),
}).named("Tool", "What an agent's model may call.");

const listTools = operation({
  name: "tools.list",
  says: "List an agent's tools",
  about: "For the agent's own token, and for operators.",
  route: "GET /agents/{agent}/tools",
  command: "tools [list]",
  examples: ["charter tools --agent ada"],
  who: "agent",
  input: { agent, user, channel: text("The channel.").option("c").optional() },
  answer: object({ tools: list(tool) }).named("ToolList"),
  statuses: { 200: "The tools, as the model is offered them." },
  refuses: [422],
  run: async (context, { agent, user, channel }) => {
    const scope = await callScopeFor(context, agent, user);
    const { offersOf } = await import("../agent/toolset.ts");
    const tools = await (await context.host()).tools({ ...scope, channel });
    const offers = await offersOf(tools);
    return {
      tools: offers.map((offer, at) => {
        const { trusted = false, reads = false, harmless = false } = tools[at] ?? {};
        return { ...offer, trusted, reads, harmless };
      }),
    };
  },
  lines: ({ tools }) =>
    tools.length === 0
      ? ["It has none."]
      : columns(
          ["tool", "trusted", "reads", "harmless", "what it does"],
          tools.map(({ name, trusted, reads, harmless, description }) => [
            name,
            ...[trusted, reads, harmless].map((said) => (said ? "yes" : "–")),
            description,
          ]),
          process.stdout,
        ),
});

const callTool = operation({
  name: "tools.call",
  says: "Call one of an agent's tools",
  about:
    "In the agent's name, without a model. It is recorded as a turn, with the agent's guards and limits. For the agent's own token, and for operators. What the caller has read is not known here: a call by an agent's token is tainted, so what acts outside and what changes the prompt waits for a person, unless it names its `session` and nothing foreign came in that.",
  route: "POST /agents/{agent}/tools/{tool}",
  example: { input: { content: "Bo's sister is called Ida." }, user: "bo", session: "order-17" },
  who: "agent",
  input: {
    agent,
    tool: text("Its name.").example("save_memory"),
    input: anything("What the tool takes, as its schema says; {} unless given.").optional(),
    user: text("The user; only for operators. Otherwise it is the token's own user.").optional(),
    session: text(
      "The caller's own name for the conversation or run in which it calls. Its calls are clean until one brought untrusted text. One that is new to this token begins tainted if any call of the token was.",
      { form: /\S/, reason: "is empty" },
    )
      .example("order-17")
      .optional(),
    anew: flag(
      "Nothing of other sessions is in this one: it begins clean. A session that is known already stays as it is.",
    ).optional(),
    foreign: flag(
      "Whoever asks for the call has read other people's words: the session is tainted from now on.",
    ).optional(),
    held: text(
      "The id of a call that waited, in place of `input`: once a person has approved it, it is made, and this is its answer.",
    ).optional(),
  },
  answer: object({
    turn: text("The call is a turn of its own, on record like any other."),
    output: text(),
    failed: flag(),
    tainted: flag("Untrusted text was in its context, or may have been."),
    because: text("Why it was tainted before it was made.").optional(),
    held: text("The id of the approval that it waits for.").optional(),
  }).named("CallToolResult", "What the call came to."),
  statuses: {
    200: "The result; the answer says whether the call failed.",
    202: "It waits for approval: `held` is its id. Ask again with `held` to go on.",
  },
  wire: ({ held }) => ({ status: held === undefined ? 200 : 202 }),
  refuses: [409, 422],
  run: async (context, { agent, tool, user, input, held, foreign, session, anew }) => {
    const scope = await callScopeFor(context, agent, user);
    if (scope.user !== undefined) checkUser(scope.user);
    if ((anew && session === undefined) || (held !== undefined && (input ?? foreign ?? anew) !== undefined))
      throw new Problem(
        "bad-request",
        "The call has fields that say nothing together.",
        "Send `anew` with a `session`, and `held` in place of an `input`.",
      );
    const host = await context.host();
    const known = (await host.tools(scope)).map(({ name }) => name);
    const about = { agent, user: scope.user ?? null, operator: context.caller.kind === "operator" };
    if (known.includes(tool)) {
      const proposal = held === undefined ? undefined : (await findHeld(context.store, held, scope)).proposal;
      if (proposal) return proposalResult(proposal);
      const { id, kind } = context.caller;
      return host.callTool(about, {
        tool,
        input,
        held,
        foreign,
        caller: { id, session, anew, trusted: kind === "operator" },
      });
    }
    const hint = known.length === 0 ? "It has none." : `Its tools are ${listed(known)}.`;
    throw new Problem("unknown-tool", `“${agent}” has no tool “${tool}”.`, hint);
  },
});

/** Says how a change stands that a tool proposed. Once approved it was made, so there is nothing to call. */
function proposalResult({ id, proposal, status, revision, decisionReason, refusals }: HeldProposal) {
  const verdict = { waiting: "held", approved: "accepted", rejected: "refused" }[status];
  const because = decisionReason ?? refusals.map((one) => one.because).join(" ");
  const output = JSON.stringify({ verdict, ...(revision === null ? { because } : { revision }) });
  const isWaiting = status === "waiting";
  return {
    turn: proposal.turn ?? "",
    output,
    failed: status === "rejected",
    tainted: true,
    ...(isWaiting && { held: id }),
  };
}

export const operations = [listTools, callTool];
