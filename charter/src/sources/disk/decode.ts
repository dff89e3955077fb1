import { pathLine } from "./disk.ts";
import type { Diagnostic, DiagnosticCode } from "./findings.ts";

const { isUtf8 } = process.getBuiltinModule("node:buffer");

/** `length`: how many of the bytes the text stands for; fewer than were given when the last character is not whole. */
type DecodeResult = {
  readonly text: string;
  readonly length: number;
  readonly diagnostics: readonly Diagnostic[];
};

/**
 * The bytes of a file as text a prompt may hold. The byte-order mark goes; every line ends in \n, however its author's
 * editor ends them (\r\n and a lone \r are line ends in Markdown too); what is no character becomes U+FFFD, and is told.
 * `cut`: the file goes on, so a last character that is not whole is not a fault.
 */
export function decode(read: Buffer, path: string, cut: boolean): DecodeResult {
  const diagnostics: Diagnostic[] = [];
  const warn = (code: DiagnosticCode, line: number, what: string) =>
    diagnostics.push({ severity: "warning", code, path, message: `${pathLine(path)}, line ${line}: ${what}` });
  const wide = utf16Of(read);
  const end = cut ? (wide ? wideEnd(read, wide) : wholeEnd(read)) : read.length;
  const bytes = end === read.length ? read : read.subarray(0, end);
  let text = wide ? new TextDecoder(wide).decode(bytes) : bytes.toString("utf8");
  if (wide) warn("utf-16", 1, "the file is UTF-16. It was read all the same; save it as UTF-8.");
  else if (!isUtf8(bytes))
    warn(
      "invalid-utf8",
      invalidLine(bytes),
      "bytes that are no UTF-8 were replaced by \uFFFD. Save the file as UTF-8.",
    );
  if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
  if (text.includes("\r")) text = text.replace(/\r\n?/g, "\n");
  const nul = text.indexOf("\0");
  if (nul >= 0) {
    warn("nul-character", lineAt(text, nul), "NUL characters were replaced by \uFFFD. Is this a text file?");
    text = text.replaceAll("\0", "\uFFFD");
  }
  return { text, length: bytes.length, diagnostics };
}

/** Where the last whole character of a piece of UTF-8 ends. */
export function wholeEnd(bytes: Buffer): number {
  const end = bytes.length;
  for (let back = 1; back <= Math.min(3, end); back++) {
    const byte = bytes[end - back] as number;
    if (byte < 0x80) return end;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < length ? end - back : end;
  }
  return end;
}

type Wide = "utf-16le" | "utf-16be";

/** What some Windows shells write. Only the byte-order mark tells it from other bytes. */
function utf16Of(bytes: Buffer): Wide | undefined {
  const mark = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0;
  return mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : undefined;
}

function wideEnd(bytes: Buffer, wide: Wide): number {
  const end = bytes.length - (bytes.length % 2);
  const last = wide === "utf-16le" ? bytes.readUInt16LE(end - 2) : bytes.readUInt16BE(end - 2);
  return last >= 0xd800 && last < 0xdc00 ? end - 2 : end;
}

/** No character of UTF-8 holds the byte of a newline, so each line can be asked alone. */
function invalidLine(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const newline = bytes.indexOf(10, start);
    const end = newline < 0 ? bytes.length : newline;
    if (!isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
  return line;
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
