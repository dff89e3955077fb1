import type * as acp from "@agentclientprotocol/sdk/unstable";
import type { FileAccess } from "../../agent/workspace/workspace.ts";
import { preview } from "../../prompt/character.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import {
  type CallView,
  callFields,
  type FileDiff,
  permissionAnswer,
  permissionOptions,
  resultFields,
} from "./call-view.ts";
import { errorFacts, modeNamed, promptInput, sessionModes } from "./client-message.ts";
import type { Editor, ListedSession } from "./editor.ts";
import type { EditorClient, SessionUpdate } from "./editor-session.ts";

/** Name and version of this program, as clients are told. */
export type AgentInfo = { readonly name: string; readonly version: string };

/** Makes the agent for version 1 of the protocol. */
export function agentV1(sdk: typeof acp, editor: Editor, agentInfo: AgentInfo): acp.AgentApp {
  let asked: acp.InitializeRequest | undefined;
  const clientOf = (peer: acp.AgentContext): EditorClient => {
    const files = (session: () => string) =>
      clientFiles(asked?.clientCapabilities?.fs, {
        read: (path) => peer.request("fs/read_text_file", { sessionId: session(), path }),
        write: (path, content) => peer.request("fs/write_text_file", { sessionId: session(), path, content }),
      });
    return {
      name: clientName(asked?.clientInfo),
      update: (sessionId, update) => peer.notify("session/update", { sessionId, update: updateV1(update) }),
      ask: async (sessionId, about, signal) => {
        const { text, call } = about;
        const request: acp.RequestPermissionRequest = {
          sessionId,
          toolCall: {
            ...callV1(call),
            status: "pending" as const,
            content: [{ type: "content" as const, content: textBlock(text) }, ...(callV1(call).content ?? [])],
          },
          options: permissionOptions(about),
        };
        const answer = peer.request("session/request_permission", request, {
          cancellationSignal: signal,
          stopWaitingOnCancel: true,
        });
        return answer.then(
          ({ outcome }) => permissionAnswer(outcome, about),
          () => undefined,
        );
      },
      files,
    };
  };
  const modesOf = (session: string) => ({ modes: sessionModes(editor.mode(session)) });

  return sdk
    .agent({ name: agentInfo.name })
    .onRequest("initialize", ({ params }) => {
      asked = params;
      return {
        protocolVersion: sdk.PROTOCOL_VERSION,
        agentInfo: { ...agentInfo },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: false, audio: false, embeddedContext: false },
          sessionCapabilities: { list: {}, resume: {}, close: {}, systemPrompt: {} },
          _meta: { "buzz.systemPrompt": true },
        },
        authMethods: [],
      };
    })
    .onRequest("session/new", ({ params, client }) =>
      withProtocolErrors(sdk, async () => {
        const sessionId = await editor.open(clientOf(client), params);
        return { sessionId, ...modesOf(sessionId) };
      }),
    )
    .onRequest("session/load", ({ params, client }) =>
      withProtocolErrors(sdk, async () => {
        await editor.load(clientOf(client), params.sessionId, params, true);
        return modesOf(params.sessionId);
      }),
    )
    .onRequest("session/resume", ({ params, client }) =>
      withProtocolErrors(sdk, async () => {
        await editor.load(clientOf(client), params.sessionId, params, false);
        return modesOf(params.sessionId);
      }),
    )
    .onRequest("session/set_mode", ({ params }) =>
      withProtocolErrors(sdk, async () => {
        editor.setMode(params.sessionId, modeNamed(params.modeId));
        return {};
      }),
    )
    .onRequest("session/list", ({ params }) =>
      withProtocolErrors(sdk, async () => ({ sessions: (await editor.list(params.cwd)).map(listedFields) })),
    )
    .onRequest("session/close", ({ params }) =>
      withProtocolErrors(sdk, async () => {
        await editor.closeSession(params.sessionId);
        return {};
      }),
    )
    .onRequest("session/prompt", ({ params }) =>
      withProtocolErrors(sdk, async () => {
        editor.checkIdle(params.sessionId);
        const { stop, usage } = await editor.prompt(params.sessionId, promptInput(params.prompt));
        return { stopReason: stop, ...(usage ? { usage } : {}) };
      }),
    )
    .onNotification("session/cancel", ({ params }) => editor.cancel(params.sessionId));
}

/** Cleans a client's name for receipts and terminals: a client may call itself anything. */
export function clientName(info: { readonly name?: string; readonly version?: string } | null | undefined): string {
  if (info?.name === undefined) return "client";
  return preview(`client ${info.name} ${info.version ?? ""}`.toWellFormed().replace(/\p{C}+/gu, " "), 100);
}

/** Converts a session to the fields that both versions of the protocol list. */
export function listedFields({ id, title, ...session }: ListedSession) {
  return { sessionId: id, ...session, ...(title === undefined ? {} : { title }) };
}

/** Runs work and converts its errors to the protocol's. */
export async function withProtocolErrors<Result>(
  sdk: { readonly RequestError: typeof acp.RequestError },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof sdk.RequestError) throw error;
    const { code, message, data } = errorFacts(error);
    throw new sdk.RequestError(code, message, data);
  }
}

/** The file operations that a client offers. */
type OfferedFiles = { readonly readTextFile?: unknown; readonly writeTextFile?: unknown } | null | undefined;

type AskClient = {
  readonly read: (path: string) => Promise<{ readonly content?: unknown }>;
  readonly write: (path: string, content: string) => Promise<unknown>;
};

/**
 * Accesses files through an editor that offers both operations, so that unsaved changes are seen and kept. Where only one is
 * offered the disk is used: otherwise a written file would not be the one that is read.
 */
function clientFiles(offered: OfferedFiles, { read, write }: AskClient): FileAccess | undefined {
  if (offered?.readTextFile !== true || offered.writeTextFile !== true) return undefined;
  return {
    read: async (path) => {
      try {
        const { content } = await read(path);
        return typeof content === "string" ? content : undefined;
      } catch {
        // Falls back to the disk: the editor has no such file open, or hides it from agents.
        return undefined;
      }
    },
    write: async (path, text) => {
      try {
        await write(path, text);
      } catch (error) {
        throw new Problem(
          "unwritable",
          `The editor did not write “${path}”: ${reasonOf(error)}.`,
          "Look at the file in the editor.",
        );
      }
    },
  };
}

/** Converts an update to version 1 of the protocol. Notices become thoughts, which every client shows apart from the answer. */
export function updateV1(update: SessionUpdate): acp.SessionUpdate {
  switch (update.kind) {
    case "asked":
      return { sessionUpdate: "user_message_chunk", messageId: update.message, content: textBlock(update.text) };
    case "answer":
      return { sessionUpdate: "agent_message_chunk", messageId: update.message, content: textBlock(update.text) };
    case "answer-dropped":
      return thought(`What was written above is dropped: ${update.reason}`);
    case "notice":
      return thought(`${update.title}: ${update.text}`);
    case "call":
      return { sessionUpdate: "tool_call", ...callV1(update.call), status: "in_progress" };
    case "result": {
      const { call, output, failed } = update;
      const { diff } = call;
      const outputContent = output === "" ? [] : [{ type: "content" as const, content: textBlock(output) }];
      const content = diff && !failed ? [diffContent(diff)] : outputContent;
      return {
        sessionUpdate: "tool_call_update",
        ...resultFields(call, output, failed),
        ...(content.length > 0 ? { content } : {}),
      };
    }
  }
}

/** Converts a call, for its first display and for a permission. */
function callV1(call: CallView) {
  return { ...callFields(call), ...(call.diff ? { content: [diffContent(call.diff)] } : {}) };
}

function diffContent({ path, before, after }: FileDiff) {
  return { type: "diff" as const, path, oldText: before, newText: after };
}

function thought(text: string): acp.SessionUpdate {
  return { sessionUpdate: "agent_thought_chunk", content: textBlock(`${text}\n`) };
}

function textBlock(text: string) {
  return { type: "text" as const, text };
}
