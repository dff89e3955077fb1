import { listed, Problem } from "../prompt/problem.ts";
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
    "In the agent's name, without a model. It is recorded as a turn, with the agent's guards and limits. For the agent's own token, and for operators.",
  route: "POST /agents/{agent}/tools/{tool}",
  example: { input: { content: "Bo's sister is called Ida." }, user: "bo" },
  who: "agent",
  input: {
    agent,
    tool: text("Its name.").example("save_memory"),
    input: anything("What the tool takes, as its schema says; {} unless given.").optional(),
    user: text("The user; only for operators. Otherwise it is the token's own user.").optional(),
  },
  answer: object({
    turn: text("The call is a turn of its own, on record like any other."),
    output: text(),
    failed: flag(),
  }).named("CallToolResult", "What the call came to."),
  statuses: { 200: "The result; the answer says whether the call failed." },
  refuses: [409, 422],
  run: async (context, { agent, tool, input = {}, user }) => {
    const scope = await callScopeFor(context, agent, user);
    if (scope.user !== undefined) checkUser(scope.user);
    const host = await context.host();
    const known = (await host.tools(scope)).map(({ name }) => name);
    const about = { agent, user: scope.user ?? null, operator: context.caller.kind === "operator" };
    if (known.includes(tool)) return host.callTool(about, { tool, input });
    const hint = known.length === 0 ? "It has none." : `Its tools are ${listed(known)}.`;
    throw new Problem("unknown-tool", `“${agent}” has no tool “${tool}”.`, hint);
  },
});

export const operations = [listTools, callTool];
