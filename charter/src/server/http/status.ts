export type ErrorStatus =
  | 400
  | 401
  | 403
  | 404
  | 405
  | 408
  | 409
  | 410
  | 413
  | 415
  | 421
  | 422
  | 429
  | 431
  | 500
  | 502
  | 503
  | 507;

const codes: Readonly<Partial<Record<ErrorStatus, readonly string[]>>> = {
  // Said by whoever asked: what `bad-…` and `unknown-…` do not cover, or mean otherwise.
  400: ["control-token", "malformed-text", "needs-user", "usage"],
  401: ["bad-sign-in", "no-token", "signed-out", "wrong-token"],
  403: ["foreign-page", "not-allowed", "unknown-person"],
  404: ["agent-removed", "not-found"],
  405: ["method-not-allowed"],
  408: ["too-slow"],
  409: [
    "agent-exists",
    "agent-frozen",
    "already-decided",
    "key-reused",
    "message-exists",
    "row-exists",
    "compaction-elsewhere",
    "identity-taken",
    "nothing-said",
    "session-busy",
    "session-ended",
    "stale",
    "turn-elsewhere",
    "turn-exists",
    "turn-interrupted",
    "turn-over",
    "turn-stopped",
  ],
  410: ["erased", "request-unknown"],
  413: ["attachment-too-large", "request-too-long", "too-large", "too-many-attachments"],
  415: ["bad-content-type"],
  421: ["wrong-host"],
  422: [
    "charter-elsewhere",
    "client-prompt-refused",
    "clock-poisoned",
    "fixed-words-late",
    "input-handled",
    "no-core-memory",
    "no-inbox",
    "no-prompt",
    "no-room",
    "not-in-demo",
    "not-served",
    "refused",
    "section-too-large",
  ],
  429: ["inbox-full", "out-of-cycles", "rate-limited", "spending-limit"],
  431: ["headers-too-large"],
  // Nothing the caller can mend: what the operator has configured, or what the server stands on.
  500: [
    "acp-directory",
    "bad-address",
    "bad-database",
    "bad-key",
    "bad-lock",
    "bad-reading",
    "bad-tool",
    "bad-workspace",
  ],
  502: [
    "bad-output",
    "compaction-failed",
    "model-aborted",
    "model-cut",
    "model-failed",
    "model-rejected",
    "model-unreachable",
    "turn-steps",
    "turn-time",
  ],
  503: [
    "closing",
    "issuer-unreachable",
    "keys-unreachable",
    "model-busy",
    "newer-schema",
    "no-database",
    "older-schema",
    "read-only",
    "standing-unavailable",
    "store-busy",
    "store-closed",
    "store-failed",
    "store-gone",
    "store-refused",
    "store-unreachable",
    "token-unchecked",
  ],
  507: ["disk-full"],
};

const statuses: ReadonlyMap<string, ErrorStatus> = new Map(
  Object.entries(codes).flatMap(([status, named]) => named.map((code) => [code, Number(status) as ErrorStatus])),
);

/** The HTTP status a Problem is answered with. What no caller is told of by name is a 500. */
export function statusOf(code: string): ErrorStatus {
  const known = statuses.get(code);
  if (known !== undefined) return known;
  if (code.startsWith("unknown-")) return 404;
  return code.startsWith("bad-") ? 400 : 500;
}

/** What an operator may have said wrong: an agent's model, its charter, its settings. */
const ofOperators = new Set([
  "bad-facts",
  "bad-settings",
  "unknown-charter",
  "unknown-embedder",
  "unknown-model",
  "unknown-tokenizer",
]);

/** The same for whoever asks: what only an operator can have got wrong, and mend, is a fault of the server's to others. */
export function statusFor(caller: { readonly kind: string } | undefined, code: string): ErrorStatus {
  return caller?.kind !== "operator" && ofOperators.has(code) ? 500 : statusOf(code);
}
