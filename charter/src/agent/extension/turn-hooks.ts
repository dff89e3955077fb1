import type { Hook, HookContext } from "../hook.ts";
import type { CallContexts } from "./call-context.ts";
import type { WaitingMessages } from "./waiting-messages.ts";

/**
 * The hooks around those of extensions: the first opens the turn and hands over the messages that waited for it, the last
 * sees what became of the prompt and closes the turn.
 */
export function turnHooks(
  { turns }: CallContexts,
  waiting: WaitingMessages,
): { readonly first: Hook; readonly last: Hook } {
  const tell = (turn: string, { notice }: HookContext) => {
    for (const one of turns.get(turn)?.notices.splice(0) ?? []) notice(one);
  };
  const name = "extensions";
  return {
    first: {
      name,
      "before-turn": ({ turn, user, prompt }) => {
        const added = [...waiting.drain(user)];
        turns.set(turn, { user, prompt, added, notices: [], details: new Map() });
        return added.length === 0 ? undefined : { message: added.map(({ text }) => text).join("\n\n") };
      },
      "after-tool": ({ turn }, aside) => tell(turn, aside),
    },
    last: {
      name,
      "before-turn": ({ turn, prompt }) => {
        const open = turns.get(turn);
        if (open) open.prompt = prompt;
      },
      "after-turn": ({ turn }, aside) => {
        tell(turn, aside);
        turns.delete(turn);
      },
    },
  };
}
