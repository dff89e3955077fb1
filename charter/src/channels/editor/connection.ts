import type * as acp from "@agentclientprotocol/sdk/experimental/v2/unstable";
import type { Stream } from "@agentclientprotocol/sdk/unstable";
import { loadPackage } from "../../packages/load-package.ts";
import { unified } from "../../prompt/diff.ts";
import { type AgentInfo, agentV1, clientName, listedFields, withProtocolErrors } from "./agent-v1.ts";
import {
  type CallView,
  callFields,
  type FileDiff,
  permissionAnswer,
  permissionOptions,
  resultFields,
} from "./call-view.ts";
import { errorFacts, modeInOption, modeOptions, promptInput, withoutBareSystemPrompt } from "./client-message.ts";
import type { Editor } from "./editor.ts";
import type { EditorClient, PromptEnd, SessionUpdate } from "./editor-session.ts";

/** Maximum bytes of a line: a longer one is no message but a fault, or an attack. */
const maxLineBytes = 32 * 1024 * 1024;

const purpose = { purpose: "The Agent Client Protocol" };

type EditorConnectionOptions = {
  readonly editor: Editor;
  readonly info: AgentInfo;
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
};

/** The end of a connection: the client left, or its messages could not be read any further. */
type ConnectionEnd = { readonly fault?: unknown };

/** Serves one client until it leaves, in the version of the protocol it asks for. Then every running turn is stopped. */
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

/** Reads messages for the protocol's own reader. An unreadable one is reported, and ends the stream. */
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

/** Makes the agent for version 2 of the protocol: a prompt is answered at once, and updates report on its turn. */
function agentV2(sdk: typeof acp, editor: Editor, info: AgentInfo): acp.AgentApp {
  let asked: acp.InitializeRequest | undefined;
  const clientOf = (peer: acp.AgentContext): EditorClient => ({
    name: clientName(asked?.info),
    update: (sessionId, update) => peer.notify("session/update", { sessionId, update: updateV2(update) }),
    ask: async (sessionId, about, signal) => {
      const { title, text, call } = about;
      const state = (update: acp.SessionUpdate) => peer.notify("session/update", { sessionId, update });
      await state({ sessionUpdate: "state_update", state: "requires_action" });
      const request: acp.RequestPermissionRequest = {
        sessionId,
        title,
        description: text,
        subject: { type: "tool_call", toolCall: { ...callV2(call), status: "pending" } },
        options: permissionOptions(about),
      };
      const answer = peer.request("session/request_permission", request, {
        cancellationSignal: signal,
        stopWaitingOnCancel: true,
      });
      const decision = await answer.then(
        ({ outcome }) => permissionAnswer(outcome, about),
        () => undefined,
      );
      await state({ sessionUpdate: "state_update", state: "running" });
      return decision;
    },
  });

  const optionsOf = (session: string) => ({ configOptions: modeOptions(editor.mode(session)) });

  /** Runs a turn and sends its updates; the request does not wait for it. */
  const run = async (peer: acp.AgentContext, sessionId: string, asked: { message: string; input: string }) => {
    const update = (update: acp.SessionUpdate) => peer.notify("session/update", { sessionId, update });
    await update({ sessionUpdate: "user_message", messageId: asked.message, content: [textOf(asked.input)] });
    await update({ sessionUpdate: "state_update", state: "running" });
    const end = await editor.prompt(sessionId, asked.input).then(idle, failed);
    await update({ sessionUpdate: "state_update", state: "idle", ...end });
  };

  return sdk
    .agent({ name: info.name })
    .onRequest("initialize", ({ params }) => {
      asked = params;
      return {
        protocolVersion: sdk.PROTOCOL_VERSION,
        info: { ...info },
        capabilities: { session: { systemPrompt: {} }, _meta: { "buzz.systemPrompt": true } },
      };
    })
    .onRequest("session/new", ({ params, client }) =>
      withProtocolErrors(sdk, async () => {
        const sessionId = await editor.open(clientOf(client), params);
        return { sessionId, ...optionsOf(sessionId) };
      }),
    )
    .onRequest("session/resume", ({ params, client }) =>
      withProtocolErrors(sdk, async () => {
        const { sessionId, replayFrom } = params;
        if (replayFrom && replayFrom.type !== "start")
          throw sdk.RequestError.invalidParams(undefined, "a session is replayed from its start, or not at all");
        await editor.load(clientOf(client), sessionId, params, replayFrom?.type === "start");
        await client.notify("session/update", {
          sessionId,
          update: { sessionUpdate: "state_update", state: "idle" },
        });
        return optionsOf(sessionId);
      }),
    )
    .onRequest("session/set_config_option", ({ params }) =>
      withProtocolErrors(sdk, async () => {
        editor.setMode(params.sessionId, modeInOption(params));
        return optionsOf(params.sessionId);
      }),
    )
    .onRequest("session/list", ({ params }) =>
      withProtocolErrors(sdk, async () => ({ sessions: (await editor.list(params.cwd)).map(listedFields) })),
    )
    .onRequest("session/close", ({ params }) => withProtocolErrors(sdk, () => editor.closeSession(params.sessionId)))
    .onRequest("session/prompt", ({ params, client }) =>
      withProtocolErrors(sdk, async () => {
        const { sessionId } = params;
        editor.checkIdle(sessionId);
        const turn = { message: crypto.randomUUID(), input: promptInput(params.prompt) };
        // Starts the turn after the response, because its updates must come later.
        setImmediate(() => void run(client, sessionId, turn).catch(() => {}));
        return { messageId: turn.message };
      }),
    )
    .onNotification("session/cancel", ({ params }) => editor.cancel(params.sessionId));
}

function idle({ stop, usage }: PromptEnd): acp.IdleStateUpdate {
  // Casts, because the SDK has a variant for each reason.
  return { stopReason: stop, ...(usage ? { usage } : {}) } as acp.IdleStateUpdate;
}

function failed(error: unknown): acp.IdleStateUpdate {
  return { stopReason: "error", error: errorFacts(error) };
}

/** Converts an update to version 2 of the protocol, which has notices, and messages that are taken back. */
export function updateV2(update: SessionUpdate): acp.SessionUpdate {
  switch (update.kind) {
    case "asked":
      return { sessionUpdate: "user_message", messageId: update.message, content: [textOf(update.text)] };
    case "answer":
      return { sessionUpdate: "agent_message_chunk", messageId: update.message, content: textOf(update.text) };
    case "answer-dropped":
      return { sessionUpdate: "agent_message", messageId: update.message, content: [] };
    case "notice":
      return { sessionUpdate: "notice", severity: "info", title: update.title, description: update.text };
    case "call":
      return { sessionUpdate: "tool_call_update", ...callV2(update.call), status: "in_progress" };
    case "result": {
      const { call, output, failed } = update;
      const { diff } = call;
      const isShown = output !== "" && !(diff?.whole && !failed);
      const outputContent = isShown ? [{ type: "content" as const, content: textOf(output) }] : [];
      const content = [...(diff && !failed ? [diffContent(diff)] : []), ...outputContent];
      return {
        sessionUpdate: "tool_call_update",
        ...resultFields(call, output, failed),
        ...(content.length > 0 ? { content } : {}),
      };
    }
  }
}

/** Converts a call, for its first display and for a permission. */
function callV2(call: CallView): acp.ToolCallUpdate {
  return { ...callFields(call), ...(call.diff ? { content: [diffContent(call.diff)] } : {}) };
}

function diffContent({ path, before, after, whole }: FileDiff): acp.ToolCallContent {
  const change = before === null ? { operation: "add" as const, path } : { operation: "modify" as const, path };
  // A patch counts the lines of the file, and so needs all of it.
  const text = whole ? gitPatch(path, before, after) : undefined;
  return { type: "diff", changes: [change], ...(text === undefined ? {} : { patch: { format: "git_patch", text } }) };
}

function textOf(text: string) {
  return { type: "text" as const, text };
}

/** Writes a change of one file in git's format; undefined where the last line of either text does not end. */
export function gitPatch(path: string, before: string | null, after: string): string | undefined {
  const texts = [before ?? "", after];
  if (texts.some((text) => text !== "" && !text.endsWith("\n")) || /[\n"\\]/.test(path)) return undefined;
  const [old = "", now = ""] = texts.map((text) => text.slice(0, -1));
  const hunks = unified(old, now, path).split("\n").slice(2).join("\n");
  const [from, to] = [before === null ? "/dev/null" : `a${path}`, `b${path}`];
  const head = [`diff --git a${path} ${to}`, ...(before === null ? ["new file mode 100644"] : [])];
  return `${[...head, `--- ${from}`, `+++ ${to}`].join("\n")}\n${hunks}`;
}
