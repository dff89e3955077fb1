// A program that speaks ACP: JSON-RPC over standard input and output, a line a message. Real ones, such as Claude Code or
// Codex, have a model and tools behind it. This one has a few fixed answers, and needs no package.
import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
let session; // what it was told to be, and how many messages it got since
let asked; // who waits for a permission

const methods = {
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: "small", version: "1" },
    agentCapabilities: { sessionCapabilities: { systemPrompt: {} } },
  }),
  "session/new": ({ systemPrompt }) => {
    session = { told: systemPrompt.content[0].text.split("\n")[0], messages: 0 };
    return { sessionId: "s1" };
  },
  "session/prompt": async ({ sessionId, prompt }) => {
    session.messages += 1;
    const words = prompt.at(-1).text;
    const text = words.endsWith("Tidy up.") ? await tidyUp(sessionId) : `${session.told} (message ${session.messages})`;
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
    send({ method: "session/update", params: { sessionId, update } });
    return { stopReason: "end_turn" };
  },
};

/** A tool of its own, for which it asks first. */
async function tidyUp(sessionId) {
  const toolCall = { toolCallId: "1", title: "rm -r old", kind: "execute", rawInput: { command: "rm -r old" } };
  const options = [
    { optionId: "yes", name: "Allow", kind: "allow_once" },
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ];
  send({ id: "permission", method: "session/request_permission", params: { sessionId, toolCall, options } });
  const { outcome } = await new Promise((answered) => {
    asked = answered;
  });
  return outcome.optionId === "yes" ? "Tidy." : "I was not allowed to.";
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  if (id === "permission") asked(result);
  else if (methods[method]) Promise.resolve(methods[method](params)).then((given) => send({ id, result: given }));
  else if (id !== undefined) send({ id, error: { code: -32601, message: "Method not found" } });
}
