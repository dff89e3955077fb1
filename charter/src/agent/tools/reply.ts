import { listed } from "../../prompt/problem.ts";
import { isWhole } from "../../prompt/sound.ts";
import { defineTool, type Tool, toolInput } from "../tool.ts";

export const replyName = "reply";

const maxReplyBytes = 4096;

const input = toolInput((z) => ({
  message: z.string().describe("The id of the message, one of this turn's."),
  body: z.string().describe("The whole reply to its sender, at most 4,096 bytes."),
}));

/**
 * Tool: in a turn with several messages, the agent answers one of them. The reply is only noted: whoever ends the turn sends it,
 * if the turn ends well.
 */
export function replyToMessage(): Tool {
  return defineTool({
    name: replyName,
    input,
    summary: "Answer one of the messages of this turn",
    description:
      "Notes your reply to one of the messages of this turn. It is sent to that message's sender alone, when the turn has ended well. Each message gets one reply; what you write outside this tool reaches none of the senders.",
    guidelines: ["Answer each message of this turn once with reply; tell no sender what another wrote"],
    trusted: true,
    harmless: true,
    run: async ({ message, body }, { store, scope: { agent }, turn }) => {
      const refusal = (why: string) => ({ text: `Not noted: ${why}`, failed: true as const });
      const held = await store.inbox.heldBy(agent, turn);
      const ids = held.map(({ id }) => id);
      if (!ids.includes(message))
        return refusal(
          `“${message}” is no message of this turn. ${ids.length === 0 ? "It has none." : `They are ${listed(ids)}.`}`,
        );
      const bytes = Buffer.byteLength(body);
      if (body.trim() === "" || !isWhole(body)) return refusal("the reply has no words, or half a character in it.");
      if (bytes > maxReplyBytes) return refusal(`the reply has ${bytes} bytes, and ${maxReplyBytes} are the most.`);
      if (!(await store.inbox.noteReply({ agent, turn, message, reply: body })))
        return refusal(`“${message}” has its reply already.`);
      const left = held.filter(({ id, draft }) => id !== message && draft === null).map(({ id }) => id);
      return `Noted: it is sent when this turn has ended well. ${left.length === 0 ? "Every message has its reply now." : `Without one yet: ${listed(left)}.`}`;
    },
  });
}
