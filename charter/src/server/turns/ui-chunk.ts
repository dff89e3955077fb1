import type { Usage } from "../../delivery/model.ts";

/** What a message carries besides its words: which turn it is, and the session the next one goes on with. */
export type UiMetadata = {
  readonly turn: string;
  readonly session: string;
  readonly state?: "answered" | "failed";
  readonly steps?: number;
  readonly tainted?: boolean;
  readonly usage?: Usage;
  readonly cost?: number | null;
};

/** A part of our own: `data-amendment`, `data-held` and the like. What is transient is told, and not kept in the message. */
export type UiData = {
  readonly type: `data-${string}`;
  readonly id?: string;
  readonly data: unknown;
  readonly transient?: true;
};

/** Tools run here, never in the client; and the client need not know them beforehand. */
type Served = { readonly toolCallId: string; readonly providerExecuted: true; readonly dynamic: true };

/** One piece of a turn's stream for chat clients, in the AI SDK's UI message format. */
export type UiChunk =
  | { readonly type: "start"; readonly messageId: string; readonly messageMetadata: UiMetadata }
  | { readonly type: "start-step" | "finish-step" }
  /** Takes back everything the message got in this step. */
  | { readonly type: "reset-step" }
  | { readonly type: "text-start" | "text-end"; readonly id: string }
  | { readonly type: "text-delta"; readonly id: string; readonly delta: string }
  | ({ readonly type: "tool-input-available"; readonly toolName: string; readonly input: unknown } & Served)
  | ({ readonly type: "tool-output-available"; readonly output: unknown } & Served)
  | ({ readonly type: "tool-output-error"; readonly errorText: string } & Served)
  | UiData
  | { readonly type: "error"; readonly errorText: string }
  | { readonly type: "abort"; readonly reason: string }
  | { readonly type: "message-metadata"; readonly messageMetadata: UiMetadata }
  | {
      readonly type: "finish";
      readonly finishReason: "stop" | "length" | "error";
      readonly messageMetadata?: UiMetadata;
    };

export const uiHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-vercel-ai-ui-message-stream": "v1",
  // A proxy that collects an answer before it passes it on would make a stream of it no more.
  "x-accel-buffering": "no",
};
