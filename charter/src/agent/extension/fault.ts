/** What can be said against an extension. Each is explained in docs/extensions.md. */
export const faultCodes = [
  "bad-call",
  "bad-result",
  "bad-tool",
  "beyond",
  "handler-failed",
  "load-failed",
  "load-time",
  "messages-full",
  "mutated",
  "no-default",
  "stray",
  "tool-replaced",
  "tool-twice",
  "tools-changed",
  "tools-unknown",
] as const;

/** What can be wrong with an extension. Each code is explained in docs/extensions.md. */
export type FaultCode = (typeof faultCodes)[number];

/**
 * Something an extension did that its author should know about. The message continues a sentence that starts with its
 * name.
 */
export type ExtensionFault = {
  /** Its path. */
  readonly extension: string;
  readonly code: FaultCode;
  readonly message: string;
};

/** Tells of a fault of the one extension it was made for. */
export type ReportFault = (code: FaultCode, message: string) => void;

/** What was thrown may end like a sentence, or not. */
export function sentence(words: string): string {
  return `${words.trimEnd().replace(/\.$/, "")}.`;
}
