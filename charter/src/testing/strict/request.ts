/** What `strict` looks for in a request. */
export type StrictCheck =
  | "prefix"
  | "order"
  | "results"
  | "text-after-results"
  | "stranger"
  | "breakpoints"
  | "empty-text"
  | "system-message"
  | "reasoning"
  | "script";

/** An answer that a vendor gives to a request it does not take: the status and the body, and what the request broke, and where. */
export type StrictFault = {
  readonly check: StrictCheck;
  /** Place in the request, as in `messages.3.content.0`. */
  readonly at: string;
  readonly message: string;
  readonly status: number;
  readonly body: object;
};

/** A block of a message or an item of an input, as JSON. */
export type Json = { readonly [field: string]: unknown };

/** Reads a field that has a list of objects. */
export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/** Reads a content that is a text, or a list of parts. */
export function partsOf(content: unknown): readonly Json[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
}

/** Writes JSON so that neither the order of fields nor a mark of the cache makes a difference. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (name, part: unknown) => {
    if (name === "cache_control") return undefined;
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

/** Says whether a text has something of a stranger's in it: by the stranger's words, or by a function. */
export type Strangers = readonly string[] | ((text: string) => boolean);

/** A text that a request has its model read, and where it stands. */
export type SpokenText = { readonly at: string; readonly text: string };

/** Finds strangers among the texts that speak for the system. */
export function strangersIn(spoken: readonly SpokenText[], strangers: Strangers): readonly SpokenText[] {
  const isStranger =
    typeof strangers === "function" ? strangers : (text: string) => strangers.some((one) => text.includes(one));
  return spoken.filter(({ text }) => isStranger(text));
}

/** Returns true for a text that opens with the mark of a session. */
export function opensWithMark(text: string): boolean {
  return /^\s*\[system [0-9a-f]{8}\]/i.test(text);
}
