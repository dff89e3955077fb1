import { isRecord } from "../../prompt/argument.ts";

/** What a call came to, as text. What is no text is told: a model is not shown it. */
export function resultText({ content, structuredContent }: Readonly<Record<string, unknown>>): string {
  const parts = (Array.isArray(content) ? content : []).flatMap((part) => (isRecord(part) ? [partText(part)] : []));
  if (parts.length > 0) return parts.join("\n");
  return structuredContent === undefined ? "(nothing)" : JSON.stringify(structuredContent);
}

function partText(part: Readonly<Record<string, unknown>>): string {
  const { type, text, data, mimeType, uri, name } = part;
  if (type === "text") return String(text);
  if (type === "image" || type === "audio")
    return `(${type === "image" ? "an image" : "a recording"}, ${String(mimeType)}, ${sizeOf(data)}: not shown)`;
  if (type === "resource_link") return `(a link to ${String(name ?? "")} ${String(uri)})`;
  if (type === "resource" && isRecord(part.resource)) {
    const { uri: from, text: words, blob, mimeType: kind } = part.resource;
    if (typeof words === "string") return `${String(from)}:\n${words}`;
    return `(a file, ${String(from)}, ${String(kind ?? "of no known kind")}, ${sizeOf(blob)}: not shown)`;
  }
  return `(a part of the kind “${String(type)}”: not shown)`;
}

/** Of what is written in base64. */
function sizeOf(data: unknown): string {
  const bytes = typeof data === "string" ? Math.floor((data.length * 3) / 4) : 0;
  return `${Math.ceil(bytes / 1024)} KB`;
}
