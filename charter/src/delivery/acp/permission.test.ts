import { expect, test } from "vitest";
import { chooseOption, policyFor } from "./peer.ts";

test("a policy by kind of tool; users are denied and the operator asked, unless it says otherwise", () => {
  const policies = [undefined, "allow", { edit: "deny" }, { edit: "allow", default: "hold" }] as const;
  const rows = policies.map((policy) => [
    policyFor(policy, "edit", true),
    policyFor(policy, "read", true),
    policyFor(policy, "edit", false),
    policyFor(policy, "toString", false),
  ]);
  expect(rows).toEqual([
    ["hold", "hold", "deny", "deny"],
    ["allow", "allow", "allow", "allow"],
    ["deny", "hold", "deny", "deny"],
    ["allow", "hold", "allow", "hold"],
  ]);
});

const option = (kind: string) => ({ optionId: kind, name: kind, kind });
const all = ["allow_always", "allow_once", "reject_always", "reject_once"].map(option);
const chosen = (optionId: string) => ({ outcome: "selected", optionId });

test("only what holds once is ever chosen", () => {
  expect(chooseOption(all, "allow")).toEqual(chosen("allow_once"));
  expect(chooseOption(all, "deny")).toEqual(chosen("reject_once"));
  expect(chooseOption([option("allow_always"), option("reject_once")], "allow")).toEqual(chosen("reject_once"));
  expect(chooseOption([option("allow_once"), option("reject_always")], "deny")).toEqual({ outcome: "cancelled" });
  expect(chooseOption([option("allow_always")], "allow")).toEqual({ outcome: "cancelled" });
});

test("options that are none are not chosen", () => {
  for (const options of [
    undefined,
    null,
    "allow_once",
    [null, 7, { kind: "allow_once" }, { kind: "allow_once", optionId: 7 }],
  ])
    expect(chooseOption(options, "allow")).toEqual({ outcome: "cancelled" });
});
