import { fenced, quoted } from "../prompt/fence.ts";
import type { Attachment, AttachmentKind } from "../prompt/step-result.ts";
import { withoutAnyMark } from "./mark.ts";
import type { Message, ModelRequest } from "./model.ts";

/** The kinds of attachment that a receiver takes, and the bytes that are stored, by their digests. */
type Showing = {
  readonly takes: readonly AttachmentKind[];
  readonly bytes: ReadonlyMap<string, Uint8Array>;
};

/** Lists the attachments of messages, each once. */
export function attachmentsIn(messages: readonly Message[]): Attachment[] {
  const byDigest = new Map<string, Attachment>();
  for (const message of messages)
    if (message.role === "user" && message.attachments)
      for (const one of message.attachments) byDigest.set(one.digest, one);
  return [...byDigest.values()];
}

/**
 * Prepares a request for its receiver: pictures and documents get their bytes, text is fenced. An attachment that the receiver
 * does not take, or that is no longer stored, becomes a line that describes it. The result is the same each time, so that what
 * was sent before stays as it was.
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

/** Describes an attachment to a model that is not shown it; summaries use the same line. */
export function toldLine(attachment: Attachment, what: string): string {
  return withoutAnyMark(`[Attached: ${attachmentLine(attachment)}. It ${what}.]`);
}

function textOf(attachment: Attachment, data: Uint8Array): string {
  const words = withoutAnyMark(new TextDecoder("utf-8").decode(data));
  const tags = new Set(Array.from(words.matchAll(/<\/?([a-z][\w-]*)/gi), ([, tag]) => String(tag).toLowerCase()));
  return `[Attached: ${withoutAnyMark(attachmentLine(attachment))}]\n${fenced(words, "The file", tags)}`;
}

export function kindOfAttachment({ mediaType }: Pick<Attachment, "mediaType">): AttachmentKind {
  if (mediaType.startsWith("image/")) return "image";
  return mediaType === "application/pdf" ? "pdf" : "text";
}

/** Describes an attachment on one line, whatever its name is: "photo.png", image/png, 12 kB, 640 × 480. */
export function attachmentLine({ name, mediaType, bytes, width, height, pages }: Attachment): string {
  const size = width !== undefined && height !== undefined ? [`${width} × ${height}`] : [];
  const length = pages === undefined ? [] : [pages === 1 ? "1 page" : `${pages} pages`];
  return [...(name === undefined ? [] : [quoted(name)]), mediaType, bytesText(bytes), ...size, ...length].join(", ");
}

function bytesText(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Estimates the tokens of a picture or a document, by the provider's rule for pixels and pages where that is known. */
type AttachmentTokens = (attachment: Attachment) => number;

type Pixels = { readonly width: number; readonly height: number };
type Rule = { readonly picture: (pixels: Pixels) => number; readonly page: number };

/** Assumed size of a picture whose bytes do not say it. */
const usualPixels: Pixels = { width: 1024, height: 1024 };

/** Bytes of text per token: a kilobyte has some 330 tokens, a little more than in English, a little less than in Chinese. */
const bytesPerToken = 3;

/** Returns the rule of a model's provider, by the model's name; as of November 2026. */
export function attachmentTokensOf(name: string): AttachmentTokens {
  const rule = ruleOf(name);
  return (attachment) => {
    const { bytes, pages = 1 } = attachment;
    const kind = kindOfAttachment(attachment);
    if (kind === "text") return Math.ceil(bytes / bytesPerToken);
    if (kind === "pdf") return Math.max(1, pages) * rule.page;
    const { width = usualPixels.width, height = usualPixels.height } = attachment;
    return rule.picture({ width, height });
  };
}

function ruleOf(name: string): Rule {
  if (/claude|^anthropic\//.test(name)) return anthropic;
  if (/gemini|gemma|^google\//.test(name)) return google;
  return /gpt-(?:4\.1|5(?:\.\d)?)-(?:mini|nano)|o4-mini/.test(name) ? openaiPatches : openaiTiles;
}

/** docs.claude.com, “Vision”: within 1568 pixels and 1.15 megapixels, a token for 750 of them. Pages: text and picture. */
const anthropic: Rule = {
  picture: (pixels) => {
    const { width, height } = within(pixels, 1568);
    return Math.max(1, Math.ceil(Math.min(width * height, 1_200_000) / 750));
  },
  page: 3000,
};

/** platform.openai.com, “Images and vision”: within 2048, the shorter side 768, then 170 for each tile of 512, and 85. */
const openaiTiles: Rule = {
  picture: (pixels) => {
    const fitted = within(pixels, 2048);
    const scale = Math.min(1, 768 / Math.min(fitted.width, fitted.height));
    return 85 + 170 * Math.ceil((fitted.width * scale) / 512) * Math.ceil((fitted.height * scale) / 512);
  },
  page: 1500,
};

/** The same page: patches of 32 pixels, at most 1536, each 1.62 tokens for a small model, 2.46 for the smallest. */
const openaiPatches: Rule = {
  picture: ({ width, height }) => Math.ceil(Math.min(1536, Math.ceil(width / 32) * Math.ceil(height / 32)) * 2.46),
  page: 1500,
};

/** ai.google.dev, “Understand and count tokens”: 258 up to 384 × 384, and for each tile of 768; a page is such a tile. */
const google: Rule = {
  picture: ({ width, height }) =>
    width <= 384 && height <= 384 ? 258 : 258 * Math.ceil(width / 768) * Math.ceil(height / 768),
  page: 258,
};

function within({ width, height }: Pixels, side: number): Pixels {
  const scale = Math.min(1, side / Math.max(width, height, 1));
  return { width: Math.max(1, width * scale), height: Math.max(1, height * scale) };
}
