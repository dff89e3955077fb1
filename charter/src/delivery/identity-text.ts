import type { Receipt } from "../prompt/receipt.ts";
import type { IdentitySlot } from "./model.ts";

const places: Readonly<Record<IdentitySlot, string>> = {
  "system-prompt": "in the agent's system prompt field",
  "meta-append": "through the agent's _meta extension systemPrompt.append",
  "meta-buzz": "through the agent's _meta extension buzz.systemPrompt",
  "first-message": "at the start of the first message",
};

/** Where the system prompt of a request went, and when, in words: for a receiver that keeps the conversation itself. */
export function identityText({ slot, sent }: NonNullable<Receipt["identity"]>): string {
  const place = Object.hasOwn(places, slot) ? places[slot as IdentitySlot] : `in the slot “${slot}”`;
  return `${place}, with ${sent ? "this request" : "an earlier request"}`;
}

/** A slot of a request by its name; the system's also by where such a receiver was given it. */
export function slotText(slot: string, { identity }: Pick<Receipt, "identity">): string {
  return slot === "system" && identity ? `${slot}, ${identityText(identity)}` : slot;
}
