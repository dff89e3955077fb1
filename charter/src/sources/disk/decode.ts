import { mended } from "../../prompt/sound.ts";
import { pathLine } from "./disk.ts";
import type { Diagnostic, DiagnosticCode } from "./findings.ts";

const { isUtf8 } = process.getBuiltinModule("node:buffer");

/** Text of a file. `length` is how many bytes were decoded: fewer than were given if the last character is incomplete. */
type DecodeResult = {
  readonly text: string;
  readonly length: number;
  readonly diagnostics: readonly Diagnostic[];
};

/**
 * Decodes a file's bytes for a prompt. The byte-order mark is removed; every line end becomes \n (\r\n and a lone \r are line
 * ends in Markdown too); invalid bytes become U+FFFD, with a warning. `cut`: the file goes on, so an incomplete last character is
 * no fault.
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
    text = mended(text);
  }
  return { text, length: bytes.length, diagnostics };
}

/** End of the last whole character in UTF-8 bytes. */
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

/** Recognises UTF-16, as some Windows shells write it, by its byte-order mark, the only thing that tells it apart. */
function utf16Of(bytes: Buffer): Wide | undefined {
  const mark = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0;
  return mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : undefined;
}

function wideEnd(bytes: Buffer, wide: Wide): number {
  const end = bytes.length - (bytes.length % 2);
  const last = wide === "utf-16le" ? bytes.readUInt16LE(end - 2) : bytes.readUInt16BE(end - 2);
  return last >= 0xd800 && last < 0xdc00 ? end - 2 : end;
}

/**
 * Finds the first line that is not UTF-8. The byte of a newline occurs in no other character, so each line can be checked alone.
 */
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
