import type { Scope } from "../amend/amendment.ts";
import { attachmentsIn, attachmentTokensOf, kindOfAttachment, showAttachments } from "../delivery/attachments.ts";
import type { Message, ModelRequest } from "../delivery/model.ts";
import type { Receiver } from "../delivery/receiver.ts";
import { badArgument, isRecord, kindOf } from "../prompt/argument.ts";
import { invisible } from "../prompt/character.ts";
import { quoted } from "../prompt/fence.ts";
import { grouped, listed, Problem } from "../prompt/problem.ts";
import type { ReceiptOptions } from "../prompt/receipt.ts";
import { isWhole } from "../prompt/sound.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import type { Store } from "../store/store.ts";
import { digestOfBytes } from "../store/texts/packing.ts";
import type { NewAttachment } from "../store/turns/attachments.ts";

/**
 * A part of an input: text, or a picture or file by its bytes. `mediaType` is found from the bytes unless given; if it is
 * given, the bytes have to be of that kind.
 */
export type InputPart =
  | { readonly text: string }
  | {
      readonly file: Uint8Array;
      readonly mediaType?: string;
      readonly name?: string;
      /** Says that the person picked it themselves: it was not forwarded. Asked about a picture, they may say that it is theirs. */
      readonly picked?: true;
    };

/** An input as it is kept: the text, the attachments that came with it, and the digests of those that the person picked. */
type ReadInput = {
  readonly text: string;
  readonly attachments: readonly NewAttachment[];
  readonly picked: readonly string[];
};

/** Reads an input and refuses attachments that are not allowed, before anything is stored. */
export function readInput(input: string | readonly InputPart[], settings: AttachmentSettings): ReadInput {
  if (typeof input === "string") return withWords({ text: input, attachments: [], picked: [] });
  if (!Array.isArray(input)) throw badInput(input === undefined ? "nothing" : typeof input);
  const files = input.filter((part) => isRecord(part) && "file" in part);
  const { maxCount = usualAttachments.maxCount } = settings;
  if (files.length > maxCount)
    throw new Problem(
      "too-many-attachments",
      `The input has ${files.length} attachments; this agent takes ${maxCount === 0 ? "none" : `${maxCount} at most`}.`,
      maxCount === 0 ? "Send words alone." : "Send fewer at once, or in several messages.",
    );
  const texts: string[] = [];
  const attachments: NewAttachment[] = [];
  const picked: string[] = [];
  for (const [index, part] of input.entries()) {
    if (isRecord(part) && typeof part.text === "string") texts.push(part.text);
    else if (isRecord(part) && "file" in part) {
      const attachment = attachmentOf(part, index, settings);
      attachments.push(attachment);
      if (part.picked === true) picked.push(attachment.digest);
    } else
      throw badArgument(`Part ${index + 1} of the input is ${kindOf(part)}.`, "Give { text }, or { file, mediaType }.");
  }
  return withWords({ text: texts.filter((text) => text !== "").join("\n\n"), attachments, picked });
}

/** Checks that an input has text or an attachment: a picture alone says enough. */
function withWords(input: ReadInput): ReadInput {
  if (input.text.trim() !== "" || input.attachments.length > 0) return input;
  throw badInput("no words");
}

function badInput(given: string): Problem {
  return new Problem(
    "bad-input",
    `A turn was asked with ${given} as its input.`,
    "Give runTurn({ input }) what the user says.",
  );
}

function attachmentOf(part: Record<string, unknown>, index: number, settings: AttachmentSettings): NewAttachment {
  const { file, mediaType: givenType } = part;
  const name = nameOf(part.name);
  const label = name === undefined ? `Attachment ${index + 1}` : `The attachment ${quoted(name)}`;
  if (!(file instanceof Uint8Array))
    throw badArgument(`${label}: its file is ${kindOf(file)}.`, "Give its bytes, as in readFileSync(path).");
  const { maxBytes = usualAttachments.maxBytes, kinds = takenKinds } = settings;
  if (file.length === 0) throw new Problem("bad-attachment", `${label} is empty.`, "Send it again, or leave it out.");
  if (file.length > maxBytes)
    throw new Problem(
      "attachment-too-large",
      `${label} has ${grouped(file.length)} bytes; the limit of this agent is ${grouped(maxBytes)}.`,
      "Send a smaller one: a picture with fewer pixels, or a part of the file.",
    );
  const mediaType = typeof givenType === "string" ? plainType(givenType) : mediaTypeOf(file);
  if (mediaType === undefined || !isKind(mediaType, kinds) || !isKind(mediaType, takenKinds))
    throw new Problem(
      "bad-attachment",
      `${label} is ${mediaType === undefined ? "of a kind that is not known" : quoted(mediaType)}, which this agent does not take.`,
      kinds.length === 0 ? "Send words alone." : `Send one of these: ${listed(kinds)}.`,
    );
  if (!isMediaType(file, mediaType))
    throw new Problem(
      "bad-attachment",
      `${label} is said to be ${mediaType}, and its bytes are not: they are ${mediaTypeOf(file) ?? "of no known kind"}.`,
      "Send it as what it is.",
    );
  return {
    digest: digestOfBytes(file),
    mediaType,
    bytes: file.length,
    ...(name === undefined ? {} : { name }),
    ...sizeOf(file, mediaType),
    data: file,
  };
}

function sizeOf(file: Uint8Array, mediaType: string) {
  const kind = kindOfAttachment({ mediaType });
  if (kind === "pdf") return { pages: pageCount(file) };
  return kind === "image" ? (pictureSize(file, mediaType) ?? {}) : {};
}

/**
 * The form of a media type (RFC 6838). It is shown beside the words of a prompt, so a sender must not be able to say anything
 * else with it.
 */
const typeName = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}$/;

/** Normalises a media type: lower case, the usual name, without parameters such as a charset. Undefined where it is none. */
function plainType(written: string): string | undefined {
  const [type = ""] = written.split(";");
  const plain = type.trim().toLowerCase();
  if (!typeName.test(plain)) return undefined;
  return plain === "image/jpg" ? "image/jpeg" : plain;
}

const hidden = new RegExp(invisible.source, "gu");

/** Returns the last part of a path, on one line, without invisible characters. */
function nameOf(given: unknown): string | undefined {
  if (typeof given !== "string") return undefined;
  const last = given.slice(0, 2000).split(/[\\/]/).at(-1) ?? "";
  const plain = last.toWellFormed().replace(hidden, "").replace(/\s+/g, " ").trim();
  return plain === "" ? undefined : [...plain].slice(0, 120).join("");
}

/** The first bytes of each kind that can be attached. */
const openings: readonly (readonly [mediaType: string, matches: (bytes: Uint8Array) => boolean])[] = [
  ["image/png", (bytes) => begins(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ["image/jpeg", (bytes) => begins(bytes, [0xff, 0xd8, 0xff])],
  ["image/gif", (bytes) => begins(bytes, letters("GIF87a")) || begins(bytes, letters("GIF89a"))],
  ["image/webp", (bytes) => begins(bytes, letters("RIFF")) && begins(bytes.subarray(8), letters("WEBP"))],
  ["application/pdf", (bytes) => begins(bytes, letters("%PDF-"))],
];

/** Finds out what bytes are: a kind that begins so, plain text, or undefined. */
function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const opening = openings.find(([, matches]) => matches(bytes));
  if (opening) return opening[0];
  return isText(bytes) ? "text/plain" : undefined;
}

/** Tells whether bytes are of the media type they are said to be. Any kind of text counts as text. */
function isMediaType(bytes: Uint8Array, mediaType: string): boolean {
  const actual = mediaTypeOf(bytes);
  return mediaType.startsWith("text/") ? actual === "text/plain" : actual === mediaType;
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Tells whether bytes are UTF-8 without a NUL. */
function isText(bytes: Uint8Array): boolean {
  try {
    return bytes.length > 0 && isWhole(decoder.decode(bytes));
  } catch {
    return false;
  }
}

function letters(text: string): number[] {
  return [...text].map((letter) => letter.charCodeAt(0));
}

function begins(bytes: Uint8Array, opening: readonly number[]): boolean {
  return bytes.length >= opening.length && opening.every((byte, index) => bytes[index] === byte);
}

type PictureSize = { readonly width: number; readonly height: number };

/** Returns the size of a picture in pixels, as its head says it; `undefined` where that cannot be read. */
function pictureSize(bytes: Uint8Array, mediaType: string): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = readers[mediaType]?.(view);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

/** Estimates the number of pages of a PDF. Pages that are packed cannot be counted: then the file's size gives the number. */
function pageCount(bytes: Uint8Array): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const pages = text.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0;
  return pages > 0 ? pages : Math.max(1, Math.ceil(bytes.length / 50_000));
}

const readers: Readonly<Record<string, (view: DataView) => PictureSize | undefined>> = {
  "image/png": (view) => (view.byteLength < 24 ? undefined : { width: view.getUint32(16), height: view.getUint32(20) }),
  "image/gif": (view) =>
    view.byteLength < 10 ? undefined : { width: view.getUint16(6, true), height: view.getUint16(8, true) },
  "image/jpeg": jpegSize,
  "image/webp": webpSize,
};

/** Reads segment by segment to the one that starts the frame. */
function jpegSize(view: DataView): PictureSize | undefined {
  for (let at = 2; at + 9 <= view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    const startsFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (startsFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** Reads one of three forms: lossy, lossless, or with an extended head. */
function webpSize(view: DataView): PictureSize | undefined {
  if (view.byteLength < 30) return undefined;
  const form = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)));
  const low = (at: number) => view.getUint16(at, true) & 0x3fff;
  if (form === "VP8 ") return { width: low(26), height: low(28) };
  if (form === "VP8L") {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  const three = (at: number) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16) + 1;
  return form === "VP8X" ? { width: three(24), height: three(27) } : undefined;
}

/** Limits on the attachments of an input, and whether they are trusted. */
export type AttachmentSettings = {
  /** Maximum size of one attachment in bytes: 5,000,000 unless given. */
  readonly maxBytes?: number;
  /** Maximum number of attachments of one turn: 10 unless given. With 0 none are taken. */
  readonly maxCount?: number;
  /** Media types that are taken, as in "image/png" or "image/*"; every type that can be sent, unless given. */
  readonly kinds?: readonly string[];
  /** Treats their content as the user's own words, which do not taint the turn. */
  readonly trusted?: boolean;
};

export const usualAttachments = { maxBytes: 5_000_000, maxCount: 10, trusted: false } as const;

/** Media types that can be sent to a model at all. */
export const takenKinds: readonly string[] = [
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "application/pdf",
  "text/*",
];

/** Tells whether a media type is among the kinds, by its name or by the half before its slash. */
function isKind(mediaType: string, kinds: readonly string[]): boolean {
  return kinds.some((kind) => (kind.endsWith("/*") ? mediaType.startsWith(kind.slice(0, -1)) : kind === mediaType));
}

/** Returns the limits on one turn's attachments, for those who want to know them beforehand; `undefined`: text only. */
export function attachmentLimits(settings: AttachmentSettings): AttachmentLimits | undefined {
  const { maxBytes = usualAttachments.maxBytes, maxCount = usualAttachments.maxCount } = settings;
  const { kinds = takenKinds } = settings;
  return maxBytes === 0 || maxCount === 0 || kinds.length === 0 ? undefined : { kinds, maxBytes, maxCount };
}

type AttachmentLimits = Required<Pick<AttachmentSettings, "kinds" | "maxBytes" | "maxCount">>;

/** Reads the settings, and names what is wrong with them. `of`: whose they are, for the message. */
export function attachmentSettingsOf(given: unknown, of: string, code = "bad-argument"): AttachmentSettings {
  const wrong = (what: string, hint: string) => new Problem(code, `${of}: ${what}.`, hint);
  if (given === undefined || given === null) return {};
  if (!isRecord(given)) throw wrong("“attachments” is no object", example);
  for (const name of Object.keys(given))
    if (!["maxBytes", "maxCount", "kinds", "trusted"].includes(name))
      throw wrong(`“attachments” has no “${name}”`, example);
  const { maxBytes, maxCount, kinds, trusted } = given;
  for (const [name, value] of Object.entries({ maxBytes, maxCount }))
    if (isGiven(value) && !(Number.isSafeInteger(value) && Number(value) >= 0))
      throw wrong(`“attachments.${name}” is ${JSON.stringify(value)}`, "Give a whole number from 0 up.");
  if (isGiven(kinds) && !(Array.isArray(kinds) && kinds.every(isTaken)))
    throw wrong(
      `“attachments.kinds” is ${JSON.stringify(kinds)}`,
      `Give some of ${takenKinds.join(", ")}, or image/*.`,
    );
  if (isGiven(trusted) && typeof trusted !== "boolean")
    throw wrong(`“attachments.trusted” is ${JSON.stringify(trusted)}`, "Give true or false.");
  return Object.fromEntries(Object.entries(given).filter(([, value]) => isGiven(value)));
}

function isTaken(kind: unknown): boolean {
  return typeof kind === "string" && (kind === "image/*" || kind.startsWith("text/") || takenKinds.includes(kind));
}

const example = 'Give { maxBytes: 5000000, maxCount: 10, kinds: ["image/*"], trusted: false }, or some of them.';

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Lists the attachments in the messages of a request, for its receipt; empty where there are none. */
export function attachmentsSent(
  messages: readonly Message[],
  { attachments: takes = [], name }: Receiver,
  { attachment: tokens = attachmentTokensOf(name) }: Tokenizer,
): Pick<ReceiptOptions, "attachments"> {
  const all = attachmentsIn(messages);
  if (all.length === 0) return {};
  const shown = all.map((one) => {
    const kind = kindOfAttachment(one);
    return { ...one, tokens: tokens(one), shown: kind === "text" || takes.includes(kind) };
  });
  return { attachments: { takes, all: shown } };
}

/** Puts the bytes of a request's attachments into it, as this receiver takes them. */
export async function withAttachments(
  { attachments }: Pick<Store, "attachments">,
  { scope }: { readonly scope: Scope },
  request: ModelRequest,
  takes: Receiver["attachments"] = [],
): Promise<ModelRequest> {
  const all = attachmentsIn(request.messages);
  if (all.length === 0) return request;
  const bytes = await attachments.getAll(
    scope,
    all.map(({ digest }) => digest),
  );
  return showAttachments(request, { takes, bytes });
}
