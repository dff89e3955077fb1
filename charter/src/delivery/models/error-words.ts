import { isRecord } from "../../prompt/argument.ts";

/** What an error says: in words, in codes, and the window where it has a field for that. */
type ErrorWords = { readonly texts: readonly string[]; readonly codes: readonly string[]; readonly window?: number };

/**
 * The words and codes of an error, and not what it repeats of the request: a user could have written that. An error
 * that one service passes on of another stands in it as a text.
 */
export function errorWords(value: unknown, depth = 0): ErrorWords {
  if (depth > 12 || value === null || value === undefined) return { texts: [], codes: [] };
  if (Array.isArray(value)) return joined(value.slice(0, 8).map((one) => errorWords(one, depth + 1)));
  if (typeof value === "string") {
    const text = value.slice(0, 20_000);
    const held = jsonIn(text);
    return held === undefined ? { texts: [text.slice(0, 2000)], codes: [] } : errorWords(held, depth + 1);
  }
  if (!isRecord(value)) return { texts: [], codes: [] };
  const { error, message, detail, code, type, n_ctx: window, metadata, cause } = value;
  const raw = isRecord(metadata) ? metadata.raw : undefined;
  const own: ErrorWords = {
    texts: [],
    codes: [code, type].filter((one) => typeof one === "string"),
    ...(isCount(window) ? { window } : {}),
  };
  return joined([own, ...[message, error, detail, raw, cause].map((one) => errorWords(one, depth + 1))]);
}

function joined(parts: readonly ErrorWords[]): ErrorWords {
  const window = parts.find((part) => part.window !== undefined)?.window;
  return {
    texts: parts.flatMap(({ texts }) => texts),
    codes: parts.flatMap(({ codes: some }) => some),
    ...(window === undefined ? {} : { window }),
  };
}

/** The JSON in a text, where it is one or ends in one: “OpenAIException - {…}”. */
function jsonIn(text: string): unknown {
  const start = text.search(/[{[]/);
  if (start === -1) return undefined;
  try {
    const held: unknown = JSON.parse(text.slice(start, Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1));
    return isRecord(held) || Array.isArray(held) ? held : undefined;
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}
