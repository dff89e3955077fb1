import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { statusFor, statusOf } from "./error.ts";

const documented = [
  ...readFileSync(new URL("../../../../docs/problems.md", import.meta.url), "utf8").matchAll(/^\| `([a-z-]+)` \|/gm),
].map(([, code]) => code as string);

/** What belongs to the command, to files on disk or to a fault in Charter itself: over HTTP nobody can mend it. */
const nobodysBusiness = [
  "acp-directory",
  "agent-nameless",
  "attachment-changed",
  "bad-address",
  "bad-config",
  "bad-database",
  "bad-key",
  "bad-lock",
  "bad-reading",
  "bad-tool",
  "bad-workspace",
  "base-unreadable",
  "bot-undecided",
  "chain-unreachable",
  "charter-invalid",
  "charter-unreadable",
  "charter-untrusted",
  "checkpoint-damaged",
  "config-untrusted",
  "extension-import",
  "extensions-too-big",
  "file-changed",
  "file-exists",
  "fixed-words-altered",
  "import-source",
  "internal",
  "key-exposed",
  "key-missing",
  "lock-mismatch",
  "needs-address",
  "needs-key",
  "newer-checkpoint",
  "older-checkpoint",
  "no-body",
  "no-chain",
  "no-contract",
  "no-model",
  "no-store",
  "no-such-directory",
  "no-such-file",
  "no-tokenizer",
  "node-too-old",
  "not-a-charter-database",
  "not-a-checkpoint",
  "not-a-file",
  "outside-workspace",
  "package-missing",
  "port-taken",
  "price-not-set",
  "price-unknown",
  "prompt-unreadable",
  "protected-path",
  "reading-missing",
  "replay-mismatch",
  "script-over",
  "store-damaged",
  "telegram-refused",
  "telegram-secret",
  "telegram-token",
  "text-missing",
  "trust-not-kept",
  "turn-order",
  "unreadable",
  "unwritable",
  "wrong-chain",
];

test("every problem has a status, and a 500 is one that nobody who asks over HTTP can mend", () => {
  const unexpected = documented.filter((code) => statusOf(code) === 500 && !nobodysBusiness.includes(code));
  expect(unexpected).toEqual([]);
});

const rows: [code: string, status: number][] = [
  ["no-token", 401],
  ["wrong-token", 401],
  ["bad-token", 400],
  ["bad-sign-in", 401],
  ["not-allowed", 403],
  ["foreign-page", 403],
  ["not-found", 404],
  ["unknown-agent", 404],
  ["unknown-of-tomorrow", 404],
  ["method-not-allowed", 405],
  ["already-decided", 409],
  ["stale", 409],
  ["agent-frozen", 409],
  ["erased", 410],
  ["request-unknown", 410],
  ["too-large", 413],
  ["bad-content-type", 415],
  ["wrong-host", 421],
  ["refused", 422],
  ["no-room", 422],
  ["no-inbox", 422],
  ["inbox-full", 429],
  ["out-of-cycles", 429],
  ["message-exists", 409],
  ["unknown-message", 404],
  ["bad-message", 400],
  ["bad-signature", 400],
  ["bad-expiry", 400],
  ["bad-grant", 400],
  ["rate-limited", 429],
  ["bad-name", 400],
  ["bad-of-tomorrow", 400],
  ["usage", 400],
  ["store-unreachable", 503],
  ["store-gone", 503],
  ["unknown-data", 503],
  ["no-database", 503],
  ["store-busy", 503],
  ["keys-unreachable", 503],
  ["disk-full", 507],
  ["model-unreachable", 502],
  ["bad-tool", 500],
  ["something-else", 500],
];
test("what names sections of a prompt is an operator's to read", () => {
  const codes = ["bad-reading", "fixed-words-late", "no-room", "section-too-large"];
  const statuses = (kind: string) => codes.map((code) => statusFor({ kind }, code));
  expect([statuses("operator"), statuses("user")]).toEqual([
    [500, 422, 422, 422],
    [500, 500, 500, 500],
  ]);
});

for (const [code, status] of rows)
  test(`“${code}” is a ${status}`, () => {
    expect(statusOf(code)).toBe(status);
  });
