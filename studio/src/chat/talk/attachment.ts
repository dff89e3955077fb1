import { plural } from "../../kit/words.ts";
import type { FileLimits } from "../api/page-facts.ts";

/** A picture or file that goes with the next message. `file` is its bytes in base64, as they are sent. */
export type Attachment = {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly file: string;
};

/** A part of a message, as the server takes it. */
export type InputPart =
  | { readonly text: string }
  | { readonly file: string; readonly mediaType: string; readonly name: string };

/** Words alone stay a text; with files it is a list. */
export function inputOf(text: string, files: readonly Attachment[]): string | readonly InputPart[] {
  if (files.length === 0) return text;
  const parts = files.map(({ file, mediaType, name }) => ({ file, mediaType, name }));
  return text === "" ? parts : [{ text }, ...parts];
}

/** All files of a message together: a request has a limit too. */
const maxTotal = 12_000_000;

/** Why a file cannot be sent, told before anything is sent. */
export function objection(
  file: { readonly name: string; readonly type: string; readonly size: number },
  limits: FileLimits,
  already: readonly { readonly size: number }[],
): string | undefined {
  if (already.length >= limits.maxCount)
    return `A message can have ${plural(limits.maxCount, "file")}. “${file.name}” was left out.`;
  if (!limits.kinds.some((kind) => matches(kind, file.type)))
    return `“${file.name}” cannot be sent. These can: ${limits.kinds.map(kindName).join(", ")}.`;
  if (file.size > limits.maxBytes) return `“${file.name}” is too large: the limit is ${sizeText(limits.maxBytes)}.`;
  if (already.reduce((sum, { size }) => sum + size, file.size) > maxTotal)
    return `The files of a message can have ${sizeText(maxTotal)} together. “${file.name}” was left out.`;
  return file.size === 0 ? `“${file.name}” is empty.` : undefined;
}

function matches(kind: string, type: string): boolean {
  return kind.endsWith("/*") ? type.startsWith(kind.slice(0, -1)) : kind === type;
}

/** “image/png” as people say it: “PNG”. */
function kindName(kind: string): string {
  const name = (kind.split("/")[1] ?? kind).replace(/\+.*$/, "");
  return kind.endsWith("/*") ? `${kind.slice(0, -2)} files` : name === "plain" ? "plain text" : name.toUpperCase();
}

export function sizeText(bytes: number): string {
  if (bytes >= 1_000_000) return `${Number((bytes / 1_000_000).toFixed(1))} MB`;
  return `${Math.max(1, Math.round(bytes / 1000))} KB`;
}

export const isPicture = (mediaType: string): boolean => /^image\/(?:png|jpeg|gif|webp)$/.test(mediaType);

/** What a browser draws in an `img`, which runs nothing. */
export const pictureAddress = ({ mediaType, file }: Pick<Attachment, "mediaType" | "file">): string =>
  `data:${mediaType};base64,${file}`;

let count = 0;

export async function readAttachment(file: File): Promise<Attachment> {
  const address = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
  const { name, type: mediaType, size: bytes } = file;
  return { id: `file-${++count}`, name, mediaType, bytes, file: address.slice(address.indexOf(",") + 1) };
}
