/** What pi calls content: text, or parts of which only text can be told a model here. */
type Content = {
  readonly text: string;
  /** How many parts were something else. */
  readonly leftOut: number;
};

/** Undefined where it is no content at all. */
export function contentOf(value: unknown): Content | undefined {
  if (typeof value === "string") return { text: whole(value), leftOut: 0 };
  if (!Array.isArray(value)) return undefined;
  const texts: string[] = [];
  for (const part of value) {
    const { type, text } = (part ?? {}) as { type?: unknown; text?: unknown };
    if (typeof type !== "string" || (type === "text" && typeof text !== "string")) return undefined;
    if (type === "text") texts.push(whole(text as string));
  }
  return { text: texts.join("\n"), leftOut: value.length - texts.length };
}

/** Half a character or a NUL can neither be kept nor sent. */
function whole(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

/** The text, and a line that says what is missing of it. */
export function toldContent({ text, leftOut }: Content): string {
  if (leftOut === 0) return text;
  const told = `(${leftOut === 1 ? "1 image" : `${leftOut} images`} left out: only text can be shown here)`;
  return text === "" ? told : `${text}\n${told}`;
}
