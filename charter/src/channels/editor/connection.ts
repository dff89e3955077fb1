import type { Stream } from "@agentclientprotocol/sdk/unstable";
import { loadPackage } from "../../packages/load-package.ts";
import { type AgentInfo, agentV1 } from "./agent-v1.ts";
import { agentV2 } from "./agent-v2.ts";
import { withoutBareSystemPrompt } from "./client-prompt.ts";
import type { Editor } from "./editor.ts";

/** A longer line is no message but a fault, or an attack. */
const maxLineBytes = 32 * 1024 * 1024;

const purpose = { purpose: "The Agent Client Protocol" };

type EditorConnectionOptions = {
  readonly editor: Editor;
  readonly info: AgentInfo;
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
};

/** How a connection ended: the client left, or what it sent could not be read any further. */
type ConnectionEnd = { readonly fault?: unknown };

/**
 * Serves one client until it leaves, in the version of the protocol it asks for. Then every turn that runs is stopped.
 */
export async function serveEditor({ editor, info, input, output }: EditorConnectionOptions): Promise<ConnectionEnd> {
  const [v1, v2] = await Promise.all([
    loadPackage("@agentclientprotocol/sdk/unstable", purpose),
    loadPackage("@agentclientprotocol/sdk/experimental/v2/unstable", purpose),
  ]);
  const { readable, writable } = v1.ndJsonStream(output, input, { maxMessageBytes: maxLineBytes });
  let fault: unknown;
  const messages = readMessages(readable, (error) => {
    fault = error;
  });
  const router = v2
    .agentProtocolRouter()
    .withV1(agentV1(v1, editor, info))
    .withV2(agentV2(v2, editor, info));
  await router.connect({ readable: messages, writable }).closed;
  await editor.close();
  return fault === undefined ? {} : { fault };
}

type MessageStream = Stream["readable"];

/** The messages as the protocol's own reader takes them. What cannot be read on is told, and is the end of them. */
function readMessages(lines: MessageStream, onFault: (error: unknown) => void): MessageStream {
  const reader = lines.getReader();
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(withoutBareSystemPrompt(value));
      } catch (error) {
        onFault(error);
        controller.close();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
