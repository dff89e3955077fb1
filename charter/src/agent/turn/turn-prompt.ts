import { assemble } from "../../prompt/assemble.ts";
import { sectionStability } from "../../prompt/charter.ts";
import { gather, withStanding } from "../../prompt/gather.ts";
import type { Prompt } from "../../prompt/prompt.ts";
import type { Turn } from "../../prompt/source.ts";
import { patience } from "../timeout.ts";
import { notice, type Running, taint, type Working } from "./turn-state.ts";

/**
 * The prompt of the step to come. The first step of a turn reads every source; those after it read what moves within a
 * turn: the standing words, which the turn itself may have amended, and the state.
 */
export async function turnPrompt(
  working: Working,
  running: Pick<Running, "who" | "progress" | "words">,
): Promise<Prompt> {
  const { declaration, scope, channel, zone, toolset, tell } = running.who;
  const { called, notices } = running.progress;
  const { charter, fault } = declaration;
  const { store, limits } = working;
  const standing = await store.standings.read(charter, scope, fault);
  const turn: Turn = {
    agent: scope.agent,
    now: working.clock().toISOString(),
    tools: toolset.lines(called),
    standing,
    ...(scope.user === undefined ? {} : { user: scope.user }),
    ...(channel === undefined ? {} : { channel }),
    ...(zone === undefined ? {} : { zone }),
  };
  const wait = patience(limits.sourceSeconds, running.who.signal);
  running.words.readings =
    running.words.prompt === undefined
      ? await gather(charter, turn, wait)
      : {
          ...withStanding(charter, running.words.readings, standing),
          ...(await gather(charter, turn, wait, (section) => sectionStability(section) === "state")),
        };
  const prompt = assemble(charter, running.words.readings, working.room);
  running.words.prompt = prompt;
  for (const one of prompt.notices) notice(tell, notices, one);
  const foreign = prompt.sections.find(({ trust }) => trust === "foreign");
  if (foreign) taint(running, `Foreign words stand in “${foreign.name}”.`);
  return prompt;
}
