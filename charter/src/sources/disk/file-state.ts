import { decode } from "./decode.ts";
import type { Diagnostic, DiagnosticCode } from "./diagnostic.ts";
import type { FileStats } from "./disk.ts";
import { pathLine } from "./path-line.ts";

/**
 * What is known of a file. `missing` is a fact (there is none, or what has its name is no file: the diagnostics tell);
 * `unavailable` is not (there is one, and it could not be read). `more`: bytes of the file that were not read.
 */
export type FileState =
  | {
      readonly status: "present";
      readonly text: string;
      readonly more: number;
      readonly diagnostics: readonly Diagnostic[];
    }
  | { readonly status: "empty"; readonly diagnostics: readonly Diagnostic[] }
  | { readonly status: "missing"; readonly diagnostics: readonly Diagnostic[] }
  | { readonly status: "unavailable"; readonly reason: string; readonly diagnostics: readonly Diagnostic[] };

export const none: FileState = Object.freeze({ status: "missing", diagnostics: Object.freeze([]) });

/** `whole`: nothing changed while it was read. */
type ReadFacts = { readonly size: number; readonly maxBytes: number; readonly whole: boolean };

export function stateOf(path: string, bytes: Uint8Array, { size, maxBytes: max, whole }: ReadFacts): FileState {
  const decoded = decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), path, size > bytes.length);
  const message = `${pathLine(path)} changed each time it was read; it may be half written.`;
  const changed = whole ? [] : [fault("warning", "changed-while-read", path, message)];
  const diagnostics = [...decoded.diagnostics, ...changed];
  const more = size > max ? size - decoded.length : 0;
  if (more === 0 && /^[\s\u0085]*$/.test(decoded.text)) return { status: "empty", diagnostics };
  return { status: "present", text: decoded.text, more, diagnostics };
}

export function unreadable(path: string, why: string): FileState {
  const reason = `${pathLine(path)} cannot be read: ${why}`;
  return { status: "unavailable", reason, diagnostics: [fault("error", "unreadable", path, reason)] };
}

export function brokenLink(path: string): FileState {
  const message = `${pathLine(path)} is a link to a file that is not there.`;
  return { status: "missing", diagnostics: [fault("warning", "broken-link", path, message)] };
}

export function notAFile(path: string, found: FileStats): FileState {
  const kind = found.isDirectory()
    ? "a directory"
    : found.isFIFO()
      ? "a pipe"
      : found.isSocket()
        ? "a socket"
        : "a device";
  const message = `${pathLine(path)} is ${kind}, not a file.`;
  return { status: "missing", diagnostics: [fault("warning", "not-a-file", path, message)] };
}

export function sameState(a: FileState, b: FileState): boolean {
  if (a.status !== b.status || a.diagnostics.length !== b.diagnostics.length) return false;
  if (a.status === "present" && b.status === "present" && (a.text !== b.text || a.more !== b.more)) return false;
  if (a.status === "unavailable" && b.status === "unavailable" && a.reason !== b.reason) return false;
  return a.diagnostics.every(({ message }, index) => message === b.diagnostics[index]?.message);
}

function fault(severity: Diagnostic["severity"], code: DiagnosticCode, path: string, message: string): Diagnostic {
  return { severity, code, path, message };
}
