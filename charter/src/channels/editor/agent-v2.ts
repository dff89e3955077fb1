import type * as acp from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { type AgentInfo, clientName, listedFields, told } from "./agent-v1.ts";
import type { Editor } from "./editor.ts";
import type { EditorClient } from "./editor-client.ts";
import { errorFacts } from "./message-problem.ts";
import { permissionAnswer, permissionOptions } from "./permission.ts";
import { promptInput } from "./prompt-input.ts";
import { modeInOption, modeOptions } from "./session-mode.ts";
import type { PromptEnd } from "./stop-reason.ts";
import { callV2, textOf, updateV2 } from "./update-v2.ts";

/** The agent in version 2 of the protocol: a prompt is answered at once, and how its turn goes is told by updates. */
export function agentV2(sdk: typeof acp, editor: Editor, info: AgentInfo): acp.AgentApp {
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
      const said = await answer.then(
        ({ outcome }) => permissionAnswer(outcome, about),
        () => undefined,
      );
      await state({ sessionUpdate: "state_update", state: "running" });
      return said;
    },
  });

  const optionsOf = (session: string) => ({ configOptions: modeOptions(editor.mode(session)) });

  /** How its turn goes on and ends; nobody waits for this. */
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
      told(sdk, async () => {
        const sessionId = await editor.open(clientOf(client), params);
        return { sessionId, ...optionsOf(sessionId) };
      }),
    )
    .onRequest("session/resume", ({ params, client }) =>
      told(sdk, async () => {
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
      told(sdk, async () => {
        editor.setMode(params.sessionId, modeInOption(params));
        return optionsOf(params.sessionId);
      }),
    )
    .onRequest("session/list", ({ params }) =>
      told(sdk, async () => ({ sessions: (await editor.list(params.cwd)).map(listedFields) })),
    )
    .onRequest("session/close", ({ params }) => told(sdk, () => editor.closeSession(params.sessionId)))
    .onRequest("session/prompt", ({ params, client }) =>
      told(sdk, async () => {
        const { sessionId } = params;
        editor.checkIdle(sessionId);
        const turn = { message: crypto.randomUUID(), input: promptInput(params.prompt) };
        // What is told of a turn comes after the answer that it was begun.
        setImmediate(() => void run(client, sessionId, turn).catch(() => {}));
        return { messageId: turn.message };
      }),
    )
    .onNotification("session/cancel", ({ params }) => editor.cancel(params.sessionId));
}

function idle({ stop, usage }: PromptEnd): acp.IdleStateUpdate {
  // Each reason is a variant of its own there.
  return { stopReason: stop, ...(usage ? { usage } : {}) } as acp.IdleStateUpdate;
}

function failed(error: unknown): acp.IdleStateUpdate {
  return { stopReason: "error", error: errorFacts(error) };
}
