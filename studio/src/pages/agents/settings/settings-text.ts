/** Settings as they are typed: an object in JSON, or what is wrong with it and where. */
export type TypedSettings =
  | { readonly settings: Readonly<Record<string, unknown>>; readonly fault?: undefined }
  | { readonly settings?: undefined; readonly fault: string };

export function settingsIn(text: string): TypedSettings {
  if (text.trim() === "") return { settings: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: `This is not JSON: ${placed((error as Error).message, text)}.` };
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return { settings: value as Record<string, unknown> };
  return { fault: "Settings are a JSON object: { … }." };
}

/** A browser counts characters; people count lines. */
function placed(message: string, text: string): string {
  const at = /end of JSON/.test(message) ? text.length : Number(/position (\d+)/.exec(message)?.[1] ?? Number.NaN);
  const words = message.replace(/ in JSON at position.*$/s, "").replace(/ of JSON input$/, "");
  if (Number.isNaN(at)) return words.replace(/\.$/, "");
  const before = text.slice(0, at).split("\n");
  return `${words}, in line ${before.length}, at character ${(before.at(-1) as string).length + 1}`;
}
