import type { Declaration } from "../declaration.ts";
import { type Limits, limitsOf, narrower } from "../limits.ts";
import type { AgentDeps, DeclareOptions } from "./turn-state.ts";
import { withWindow } from "./window/window.ts";

/**
 * What holds in one turn: the agent's limits and edition, and those of the charter as it is declared for that turn. It is declared
 * before the turn is on record, since how long the turn may take is recorded with it. What goes wrong there is thrown
 * where the turn asks for the declaration, and so is recorded. What was asked for this turn alone can only narrow them.
 */
export async function withDeclaredLimits(
  working: AgentDeps,
  about: Omit<DeclareOptions, "now">,
  asked: Partial<Limits> = {},
): Promise<AgentDeps> {
  const first = working.declare({ ...about, now: working.clock().toISOString() });
  const { limits, compactAt, edition, window } = await first.catch((): Partial<Declaration> => ({}));
  let told = false;
  const declare = (turn: DeclareOptions) => {
    if (told) return working.declare(turn);
    told = true;
    return first;
  };
  const said = working.asked;
  const before = {
    limits: said.limits,
    compactAt: compactAt === undefined ? said.compactAt : Math.min(compactAt, said.compactAt ?? compactAt),
    room: edition === undefined ? said.room : { edition, ...said.room },
    window: said.window ?? window,
  };
  const limited = limitsOf(narrower(limits ? limitsOf(narrower(said.limits, limits)) : working.limits, asked));
  const own = { ...working, declare, asked: before, limits: limited };
  return withWindow(own, before.window ?? working.model.receiver.window);
}
