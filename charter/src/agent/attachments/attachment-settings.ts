import { isRecord } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";

/** What may come with an input, and whose words it is. */
export type AttachmentSettings = {
  /** The most bytes of one attachment: 5,000,000 unless given. */
  readonly maxBytes?: number;
  /** The most attachments of one turn: 10 unless given. With 0 none are taken. */
  readonly maxCount?: number;
  /** Media types that are taken, as in "image/png" or "image/*"; all that can be, unless given. */
  readonly kinds?: readonly string[];
  /** What is in them is the user's own word and does not taint the turn. */
  readonly trusted?: boolean;
};

export const usualAttachments = { maxBytes: 5_000_000, maxCount: 10, trusted: false } as const;

/** What can be sent to a model at all. */
export const takenKinds: readonly string[] = [
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "application/pdf",
  "text/*",
];

/** A kind by its name, or by the half before its slash. */
export function isKind(mediaType: string, kinds: readonly string[]): boolean {
  return kinds.some((kind) => (kind.endsWith("/*") ? mediaType.startsWith(kind.slice(0, -1)) : kind === mediaType));
}

/** What may come with one turn, for whoever wants to know beforehand; `undefined`: words alone. */
export function attachmentLimits(settings: AttachmentSettings): AttachmentLimits | undefined {
  const { maxBytes = usualAttachments.maxBytes, maxCount = usualAttachments.maxCount } = settings;
  const { kinds = takenKinds } = settings;
  return maxBytes === 0 || maxCount === 0 || kinds.length === 0 ? undefined : { kinds, maxBytes, maxCount };
}

type AttachmentLimits = Required<Pick<AttachmentSettings, "kinds" | "maxBytes" | "maxCount">>;

/** Reads the settings; what is wrong with them is named. `of`: whose they are, for the message. */
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
