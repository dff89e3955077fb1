import { assemble } from "../../prompt/assemble.ts";
import { sectionStability } from "../../prompt/charter.ts";
import { gather, withStanding } from "../../prompt/gather.ts";
import type { Prompt } from "../../prompt/prompt.ts";
import type { SourceContext } from "../../prompt/source.ts";
import { sourceTimeout } from "../timeout.ts";
import { type AgentDeps, addNotice, enterPhase, type TurnState, taint } from "./turn-state.ts";

/**
 * The prompt of the step to come. The first step of a turn reads every source; those after it read what moves within a
 * turn: the standing words, which the turn itself may have amended, and the state.
 */
export async function turnPrompt(
  deps: AgentDeps,
  running: Pick<TurnState, "who" | "progress" | "words">,
): Promise<Prompt> {
  const { declaration, scope, channel, zone, toolset, tokenizer, emit } = running.who;
  const { callsByTool, callCount, notices } = running.progress;
  const { charter, fault } = declaration;
  enterPhase(running, "LoadingContext");
  const { store, limits } = deps;
  const standing = await store.standings.read(charter, scope, fault);
  const turn: SourceContext = {
    agent: scope.agent,
    now: deps.clock().toISOString(),
    tools: toolset.lines(callsByTool),
    phase: "Inferring",
    callsLeft: Math.max(0, limits.toolCalls - callCount),
    standing,
    ...(scope.user === undefined ? {} : { user: scope.user }),
    ...(channel === undefined ? {} : { channel }),
    ...(zone === undefined ? {} : { zone }),
  };
  const wait = sourceTimeout(limits.sourceSeconds, running.who.signal);
  running.words.readings =
    running.words.prompt === undefined
      ? await gather(charter, turn, wait)
      : {
          ...withStanding(charter, running.words.readings, standing),
          ...(await gather(charter, turn, wait, (section) => sectionStability(section) === "state")),
        };
  const prompt = assemble(charter, running.words.readings, { tokenizer, ...deps.room });
  running.words.prompt = prompt;
  for (const one of prompt.notices) addNotice(emit, notices, one);
  const foreign = prompt.sections.find(({ trust }) => trust === "foreign");
  if (foreign) taint(running, `Foreign words stand in “${foreign.name}”.`);
  return prompt;
}
