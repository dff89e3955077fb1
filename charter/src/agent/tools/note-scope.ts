import type { Scope } from "../../amend/amendment.ts";
import { listed } from "../../prompt/problem.ts";
import { counterpartKey, type InboxMessage } from "../../store/conversations/inbox-row.ts";
import type { ToolContext } from "../tool.ts";

type NoteContext = Pick<ToolContext, "store" | "scope" | "turn">;

/** Whose a note of this turn is: its user's or counterpart's; where it has messages of several, that of the one named. */
export async function noteScope(
  context: NoteContext,
  message: string | undefined,
): Promise<{ readonly scope: Scope } | { readonly refusal: string }> {
  const { scope } = context;
  const batch = await mixedBatch(context);
  if (batch.length === 0) return { scope };
  const ids = listed(batch.map(({ id }) => id));
  if (message === undefined)
    return { refusal: `Others' messages are in this turn: say with \`message\` which of them it comes from: ${ids}.` };
  const named = batch.find(({ id }) => id === message);
  if (!named) return { refusal: `“${message}” is no message of this turn. They are ${ids}.` };
  return { scope: { agent: scope.agent, user: counterpartKey(named.sender) } };
}

/** Whose notes a turn may read: those of its user, or of the senders of its messages, and the agent's own. */
export function readableScopes(
  { agent, user }: { readonly agent: string; readonly user?: string | undefined },
  batch: readonly Pick<InboxMessage, "sender">[],
): readonly Scope[] {
  const users = user === undefined ? new Set(batch.map(({ sender }) => counterpartKey(sender))) : [user];
  return [...[...users].map((one) => ({ agent, user: one })), { agent }];
}

/** The messages of a turn that is nobody's own. */
export async function mixedBatch({ store, scope, turn }: NoteContext): Promise<readonly InboxMessage[]> {
  return scope.user === undefined ? store.inbox.heldBy(scope.agent, turn) : [];
}
