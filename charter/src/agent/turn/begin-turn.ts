import type { Notice } from "../../prompt/notice.ts";
import { empty } from "../../prompt/reading.ts";
import { isWhole } from "../../prompt/sound.ts";
import { teller, type Watcher } from "../agent-event.ts";
import type { Declaration } from "../declaration.ts";
import { createHooks, type Hook, type Hooks, type Listening, type Take } from "../hook.ts";
import { noUsage } from "../outcome.ts";
import type { TurnInput } from "../turn-input.ts";
import { notice, type Running, type TurnIdentity, type TurnProgress, taint, type Working } from "./turn-state.ts";

type Begun = Pick<TurnIdentity, "id" | "scope" | "session" | "signal"> & { readonly on: Watcher | undefined };

/**
 * A turn as it starts: what it is asked, by hooks' leave, and what it is declared to be. A charter is declared before its
 * hooks can be asked, and once more after they were: what they changed holds for this very turn.
 */
export async function beginTurn(working: Working, asked: TurnInput, { on, ...begun }: Begun): Promise<Running> {
  const { scope, session, id, signal } = begun;
  const { channel } = asked;
  const tell = teller(id, [working.watcher, on]);
  tell({ kind: "turn-start", session: session.id, input: asked.input });
  const notices: Notice[] = [];
  const listening: Listening = {
    failed: (failed) => {
      tell(failed);
      const message = `The hook “${failed.hook}” failed at ${failed.moment}: ${failed.because}.`;
      notices.push({ code: "hook-failed", message });
    },
    notice: (one) => notice(tell, notices, one),
  };
  const hooksOf = (hooks: readonly Hook[]) => createHooks(hooks, working.limits.hookSeconds, listening, signal);
  const now = working.clock().toISOString();
  const known = scope.user === undefined ? undefined : (await working.store.users.find(scope.user))?.zone;
  const declare = () => working.declare({ scope, channel, now });

  let declaration = await declare();
  let hooks = allHooks(declaration, working);
  let heard: Heard = { input: asked.input, handledBy: undefined };
  if (hooks.some((hook) => hook.input !== undefined)) {
    const about = { ...(scope.user === undefined ? {} : { user: scope.user }), ...(channel ? { channel } : {}) };
    heard = await hear(hooksOf(hooks), { turn: id, ...about, input: heard.input });
    declaration = await declare();
    hooks = allHooks(declaration, working);
  }

  const { input, handledBy } = heard;
  const running: Running = {
    who: {
      ...begun,
      tell,
      channel,
      zone: known ?? asked.zone,
      hooks: hooksOf(hooks),
      declaration,
      toolset: await working.toolsetFor(declaration),
      tokenizer: await working.tokenizer(),
      handledBy,
    },
    progress: {
      input,
      entered: false,
      messages: [],
      step: 0,
      calls: 0,
      acted: false,
      called: new Map(),
      tainted: false,
      anew: undefined,
      notices,
      came: {},
    },
    words: { readings: { none: empty }, prompt: undefined, besides: [], replaced: undefined },
    bill: {
      predicted: undefined,
      usage: noUsage,
      cost: working.model.receiver.price ? 0 : null,
      opinions: [],
      owed: undefined,
    },
  };
  if (session.stretches.some(({ tainted }) => tainted))
    taint(running, "Foreign words are in what was said before in this session.");
  return running;
}

function allHooks(declaration: Declaration, { hooks }: Working): readonly Hook[] {
  return [...(declaration.hooks ?? []), ...hooks];
}

type Heard = Pick<TurnIdentity, "handledBy"> & Pick<TurnProgress, "input">;

async function hear(hooks: Hooks, given: Parameters<Take<"input">>[0]): Promise<Heard> {
  let handledBy: string | undefined;
  const take: Take<"input"> = (now, { input = now.input, handled }, hook) => {
    if (typeof input !== "string" || !isWhole(input) || input.trim() === "")
      return "its input is no text, or has no words";
    if (handled) handledBy = hook;
    return { ...now, input };
  };
  const { input } = await hooks.run("input", given, take, () => handledBy !== undefined);
  return { input, handledBy };
}
