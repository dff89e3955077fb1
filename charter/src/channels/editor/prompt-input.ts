import { oneLine } from "../../prompt/character.ts";
import { badMessage } from "./message-problem.ts";

/** A block of a prompt, as far as it is read here. */
type PromptBlock = {
  readonly type: string;
  readonly text?: unknown;
  readonly name?: unknown;
  readonly uri?: unknown;
};

/**
 * What the user said, as one text. A link to a file or a page is named where it stands, and is for the agent to open;
 * images, sounds and whole files in a prompt are refused, since nothing would be made of them.
 */
export function promptInput(blocks: readonly PromptBlock[]): string {
  let input = "";
  let before = "";
  for (const block of blocks) {
    const piece = pieceOf(block);
    if (piece === "") continue;
    // Editors part a sentence where a link stands in it; two texts in a row are two paragraphs.
    const parted = before !== "text" || block.type !== "text";
    const blank = input === "" || /\s$/.test(input) || /^[\s.,;:!?)]/.test(piece);
    input += blank ? piece : `${parted ? " " : "\n\n"}${piece}`;
    before = block.type;
  }
  if (input.trim() !== "") return input;
  throw badMessage("The prompt has no words.", "Send at least one block of text.");
}

function pieceOf({ type, text, name, uri }: PromptBlock): string {
  if (type === "text" && typeof text === "string") return text;
  if (type === "resource_link" && typeof uri === "string") return linkText(typeof name === "string" ? name : "", uri);
  throw badMessage(
    `A block of the prompt is of the type “${oneLine(String(type)).slice(0, 40)}”, and only text and links are read.`,
    "Send blocks of the types “text” and “resource_link”.",
  );
}

/** A file by its path, which is what tools take. */
function linkText(name: string, uri: string): string {
  const place = oneLine(pathOf(uri) ?? uri);
  const called = oneLine(name).trim();
  return called === "" || place === called || place.endsWith(`/${called}`) ? `@${place}` : `@${called} (${place})`;
}

function pathOf(uri: string): string | undefined {
  if (!/^file:\/\//i.test(uri)) return undefined;
  try {
    const { hostname, pathname, hash } = new URL(uri);
    return hostname === "" || hostname === "localhost" ? decodeURIComponent(pathname) + hash : undefined;
  } catch {
    return undefined;
  }
}
