import { expect, test } from "vitest";
import { type Held, whatBecame } from "./held-card.tsx";

const proposal = (about: object) =>
  ({ section: "soul", decidedBy: "operator", decisionReason: null, ...about }) as Held;
const call = (status: string, about = {}) =>
  ({ tool: "send_mail", status, decidedBy: "operator", decisionReason: null, ...about }) as unknown as Held;
const permission = (status: string, about = {}) =>
  call(status, { tool: "acp:execute", asks: "asks to run: make", ...about });

const rows: [Held, string][] = [
  [
    proposal({ status: "approved", revision: 2 }),
    "was approved by operator: it is revision 2, and is in effect from the next prompt on.",
  ],
  [proposal({ status: "rejected", decisionReason: "Not so." }), "was rejected by operator: nothing is done. “Not so.”"],
  [call("approved"), "was approved by operator: it runs with your next message."],
  [call("done"), "was approved by operator, and has run."],
  [call("failed"), "was approved by operator, and failed."],
  [call("rejected", { decidedBy: null }), "was rejected: nothing is done."],
  [
    permission("approved"),
    "was approved by operator: it is allowed once, with your next message, if the agent asks for the same again.",
  ],
  [permission("running"), "was approved, and is allowed once in the turn that runs now."],
  [permission("done", { result: "Allowed once." }), "was approved by operator, and allowed once."],
  [
    permission("failed", { result: "The agent did not ask for it again in the next turn." }),
    "was approved by operator, and not used. The agent did not ask for it again in the next turn.",
  ],
  [permission("rejected"), "was rejected by operator: nothing is done."],
];
for (const [held, words] of rows)
  test(words, () => {
    expect(whatBecame(held)).toBe(words);
  });
