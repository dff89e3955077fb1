import { expect, test } from "vitest";
import type { IdentitySlot } from "../model.ts";
import { identityMessage, sessionFields } from "./prompt.ts";

const slots: readonly IdentitySlot[] = ["system-prompt", "meta-append", "meta-buzz", "first-message"];

test("the identity stands once, in its slot", () => {
  const placed = slots.map((slot) => [
    sessionFields({ slot, identity: "Be kind.", override: false }),
    identityMessage(slot, "Be kind."),
  ]);
  expect(placed).toEqual([
    [{ systemPrompt: { mode: "append", content: [{ type: "text", text: "Be kind." }] } }, undefined],
    [{ _meta: { systemPrompt: { append: "Be kind." } } }, undefined],
    [{ _meta: { "buzz.systemPrompt": "Be kind." } }, undefined],
    [{}, "[System]\nBe kind."],
  ]);
});

test("without an identity nothing is said of it", () => {
  for (const slot of slots) {
    expect(sessionFields({ slot, identity: "", override: true })).toEqual({});
    expect(identityMessage(slot, "")).toBeUndefined();
  }
});

test("only the field of the protocol can replace what an agent says of itself", () => {
  const fields = slots.map((slot) => JSON.stringify(sessionFields({ slot, identity: "x", override: true })));
  expect(fields.map((field) => field.includes("override"))).toEqual([true, false, false, false]);
});
