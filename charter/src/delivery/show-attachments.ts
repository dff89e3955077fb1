import { fenced } from "../prompt/fence.ts";
import type { Attachment, AttachmentKind } from "../prompt/step-result.ts";
import { attachmentLine, kindOfAttachment } from "./attachment-line.ts";
import { withoutAnyMark } from "./mark.ts";
import type { Message, ModelRequest } from "./model.ts";

/** What a receiver takes, and the bytes there are, by their digests. */
type Showing = {
  readonly takes: readonly AttachmentKind[];
  readonly bytes: ReadonlyMap<string, Uint8Array>;
};

/** The attachments of messages, each once. */
export function attachmentsIn(messages: readonly Message[]): Attachment[] {
  const found = new Map<string, Attachment>();
  for (const message of messages)
    if (message.role === "user" && message.attachments)
      for (const one of message.attachments) found.set(one.digest, one);
  return [...found.values()];
}

/**
 * A request as its receiver can take it: pictures and documents with their bytes, text in a fence. What the receiver does
 * not take, or is not there any more, is a line that says what it was. It comes out the same each time, so that what was
 * sent before stays as it was.
 */
export function showAttachments(request: ModelRequest, showing: Showing): ModelRequest {
  if (!request.messages.some((message) => "attachments" in message)) return request;
  return { ...request, messages: request.messages.map((message) => shownMessage(message, showing)) };
}

type RequestMessage = ModelRequest["messages"][number];

function shownMessage(message: RequestMessage, { takes, bytes }: Showing): RequestMessage {
  if (message.role !== "user" || message.attachments === undefined) return message;
  const { attachments, ...plain } = message;
  const lines: string[] = [];
  const shown = attachments.flatMap((one) => {
    const data = bytes.get(one.digest);
    const kind = kindOfAttachment(one);
    if (data === undefined) lines.push(toldLine(one, "is not kept any more"));
    else if (kind === "text") lines.push(textOf(one, data));
    else if (takes.includes(kind)) return [{ ...one, data: Buffer.from(data).toString("base64") }];
    else lines.push(toldLine(one, "cannot be shown to you: this model does not take such attachments"));
    return [];
  });
  const text = [...lines, plain.text].filter((part) => part !== "").join("\n\n");
  return { ...plain, text, ...(shown.length > 0 ? { attachments: shown } : {}) };
}

/** What a model is told of one it is not shown; also what a summary is made of. */
export function toldLine(attachment: Attachment, what: string): string {
  return withoutAnyMark(`[Attached: ${attachmentLine(attachment)}. It ${what}.]`);
}

const decoder = new TextDecoder("utf-8");

function textOf(attachment: Attachment, data: Uint8Array): string {
  const words = withoutAnyMark(decoder.decode(data));
  const tags = new Set(Array.from(words.matchAll(/<\/?([a-z][\w-]*)/gi), ([, tag]) => String(tag).toLowerCase()));
  return `[Attached: ${withoutAnyMark(attachmentLine(attachment))}]\n${fenced(words, "The file", tags)}`;
}
