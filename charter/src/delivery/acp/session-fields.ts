import type { IdentitySlot } from "../model.ts";

/** What the identity adds to `session/new`, `load`, `resume` and `fork` alike: nothing, or one of these. */
type SessionFields =
  | { readonly systemPrompt: { readonly mode: "append" | "override"; readonly content: readonly TextBlock[] } }
  | { readonly _meta: { readonly systemPrompt: { readonly append: string } } }
  | { readonly _meta: { readonly "buzz.systemPrompt": string } }
  | Readonly<Record<never, never>>;

/** A piece of text, as the protocol has it. */
export type TextBlock = { readonly type: "text"; readonly text: string };

type Identity = {
  readonly slot: IdentitySlot;
  readonly identity: string;
  /** Our prompt replaces the agent's own: configured, and advertised. */
  readonly override: boolean;
};

/** Places the identity into the request that opens a session. Without one, the request says nothing of it. */
export function sessionFields({ slot, identity, override }: Identity): SessionFields {
  if (identity === "") return {};
  if (slot === "system-prompt")
    return { systemPrompt: { mode: override ? "override" : "append", content: [textBlock(identity)] } };
  if (slot === "meta-append") return { _meta: { systemPrompt: { append: identity } } };
  if (slot === "meta-buzz") return { _meta: { "buzz.systemPrompt": identity } };
  return {};
}

/** What opens the first message of a session whose slot that is; undefined where the identity is elsewhere. */
export function identityMessage(slot: IdentitySlot, identity: string): string | undefined {
  return slot === "first-message" && identity !== "" ? `[System]\n${identity}` : undefined;
}

export function textBlock(text: string): TextBlock {
  return { type: "text", text };
}
