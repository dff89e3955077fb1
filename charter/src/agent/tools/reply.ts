import { z } from "zod";
import type { ToolCall, ToolResult } from "../../delivery/model.ts";
import { listed } from "../../prompt/problem.ts";
import { isWhole } from "../../prompt/sound.ts";
import { defineTool, type Tool } from "../tool.ts";

export const replyName = "reply";

const maxBytes = 4096;

const input = z.object({
  message: z.string().describe("The id of the message, one of this turn's."),
  body: z.string().describe("The whole reply to its sender, at most 4,096 bytes."),
});

/**
 * Tool: in a turn with several messages, the agent answers one of them. The reply is only noted: whoever ends the turn
 * sends it, if the turn ends well.
 */
export function replyToMessage(): Tool {
  return defineTool({
    name: replyName,
    input,
    summary: "Answer one of the messages of this turn",
    description:
      "Notes your reply to one of the messages of this turn. It is sent to that message's sender alone, when the turn has ended well. Each message gets one reply; what you write outside this tool reaches none of the senders.",
    guidelines: ["Answer each message of this turn once with reply; tell no sender what another wrote"],
    run: async ({ message, body }, { store, scope: { agent }, turn }) => {
      const not = (why: string) => ({ text: `Not noted: ${why}`, failed: true as const });
      const held = await store.inbox.heldBy(agent, turn);
      const ids = held.map(({ id }) => id);
      if (!ids.includes(message))
        return not(
          `“${message}” is no message of this turn. ${ids.length === 0 ? "It has none." : `They are ${listed(ids)}.`}`,
        );
      const bytes = Buffer.byteLength(body);
      if (body.trim() === "" || !isWhole(body)) return not("the reply has no words, or half a character in it.");
      if (bytes > maxBytes) return not(`the reply has ${bytes} bytes, and ${maxBytes} are the most.`);
      const noted = new Set(repliesIn(await store.steps.of(turn)).map((one) => one.message));
      if (noted.has(message)) return not(`“${message}” has its reply already.`);
      const left = ids.filter((id) => id !== message && !noted.has(id));
      return `Noted: it is sent when this turn has ended well. ${left.length === 0 ? "Every message has its reply now." : `Without one yet: ${listed(left)}.`}`;
    },
  });
}

/** What is kept of a step's calls. */
type StepCalls = {
  readonly answer?: { readonly calls: readonly ToolCall[] };
  readonly results?: readonly ToolResult[];
};

/**
 * The replies a turn noted, in order, read from what is kept of its steps: the same for whoever ends the turn, also
 * after a crash.
 */
export function repliesIn(
  steps: readonly { readonly result?: unknown }[],
): readonly { readonly message: string; readonly body: string }[] {
  return steps.flatMap(({ result }) => {
    const { answer, results = [] } = (result ?? {}) as StepCalls;
    const noted = results.filter(({ name, failed }) => name === replyName && !failed);
    return noted.flatMap(({ call }) => replyOf(answer?.calls.find(({ id }) => id === call)?.input));
  });
}

function replyOf(written = "{}"): { readonly message: string; readonly body: string }[] {
  try {
    const { message, body } = JSON.parse(written);
    return typeof message === "string" && typeof body === "string" ? [{ message, body }] : [];
  } catch {
    return [];
  }
}
