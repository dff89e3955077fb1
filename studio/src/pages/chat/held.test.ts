import { expect, test } from "vitest";
import { type Held, whatBecame } from "./held.ts";

const proposal = (about: object) =>
  ({ section: "soul", decidedBy: "operator", decisionReason: null, ...about }) as Held;
const call = (status: string, about = {}) =>
  ({ tool: "send_mail", status, decidedBy: "operator", decisionReason: null, ...about }) as unknown as Held;

const rows: [Held, string][] = [
  [
    proposal({ status: "approved", revision: 2 }),
    "was approved by operator: it is revision 2, and stands from the next prompt on.",
  ],
  [proposal({ status: "rejected", decisionReason: "Not so." }), "was rejected by operator: nothing is done. “Not so.”"],
  [call("approved"), "was approved by operator: it is made with your next message."],
  [call("done"), "was approved by operator, and made."],
  [call("failed"), "was approved by operator, and failed."],
  [call("rejected", { decidedBy: null }), "was rejected: nothing is done."],
];
for (const [held, words] of rows)
  test(words, () => {
    expect(whatBecame(held)).toBe(words);
  });
