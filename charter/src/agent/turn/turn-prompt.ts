import { offerTokens } from "../../delivery/prediction.ts";
import { sectionMutability, sectionStability } from "../../prompt/charter.ts";
import { gather, withStanding } from "../../prompt/gather.ts";
import type { Layer } from "../../prompt/layer.ts";
import type { Prompt } from "../../prompt/prompt.ts";
import type { Reading } from "../../prompt/reading.ts";
import type { Section } from "../../prompt/section.ts";
import type { SourceContext, Standing } from "../../prompt/source.ts";
import { sourceTimeout } from "../timeout.ts";
import type { AgentDeps } from "./agent-deps.ts";
import { foreignText } from "./asking/foreign-text.ts";
import { addNotice, enterPhase, type TurnState, taint } from "./turn-state.ts";
import { assembleWithin, chooseEdition, compactNotice } from "./window/edition.ts";
import { offersNow } from "./window/read-result.ts";

/** Sections with sources and a standing text that has changed since they were read, where they could be read. */
function wasAmended(
  { readings, standing: before }: TurnState["words"],
  standing: SourceContext["standing"],
): (section: Section, layer: Layer) => boolean {
  const revision = (one: Standing | undefined) => (one && "revision" in one ? one.revision : 0);
  const shown = (reading: Reading | undefined) =>
    reading?.status === "present" ? Math.max(0, ...reading.parts.map((part) => part.revision ?? 0)) : 0;
  return (section, layer) =>
    section.sources !== undefined &&
    typeof sectionMutability(section, layer) === "object" &&
    sectionStability(section) !== "state" &&
    readings[section.name]?.status !== "unavailable" &&
    revision(standing[section.name]) > Math.max(revision(before[section.name]), shown(readings[section.name]));
}

/**
 * The prompt of the step to come. The first step of a turn reads every source; those after it read what moves within a
 * turn: the standing words, which the turn itself may have amended, and the state.
 */
export async function turnPrompt(deps: AgentDeps, running: Omit<TurnState, "bill">): Promise<Prompt> {
  const { declaration, scope, channel, zone, context, toolset, tokenizer, emit } = running.who;
  const { callsByTool, callCount, notices } = running.progress;
  const { charter, fault } = declaration;
  enterPhase(running, "LoadingContext");
  const { store } = deps;
  const { limits } = running.terms;
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
    ...(context === undefined ? {} : { context }),
  };
  const wait = sourceTimeout(limits.sourceSeconds, running.who.signal);
  running.words.readings =
    running.words.prompt === undefined
      ? await gather(charter, turn, wait)
      : {
          ...withStanding(charter, running.words.readings, standing),
          ...(await gather(charter, turn, wait, (section) => sectionStability(section) === "state")),
          ...(await gather(charter, { ...turn, again: true }, wait, wasAmended(running.words, standing))),
        };
  running.words.standing = standing;
  const { maxBytes, window, name } = running.seat.model.receiver;
  const room = { tokenizer, ...running.terms.room };
  const before = running.words.prompt?.edition ?? running.who.session.baseline?.edition;
  const fit = { window, toolTokens: offerTokens(offersNow(running), tokenizer), before };
  const { edition, because } = chooseEdition(charter, running.words.readings, room, fit);
  if (because) addNotice(emit, notices, compactNotice(name, because));
  const prompt = assembleWithin(charter, running.words.readings, { ...room, edition }, maxBytes);
  running.words.prompt = prompt;
  for (const one of prompt.notices) addNotice(emit, notices, one);
  for (const { name, trust, start, end } of prompt.sections) {
    if (trust !== "foreign") continue;
    const says = `the section “${name}” of the agent's prompt has words of others in it`;
    taint(running, `Untrusted text is in “${name}”.`, foreignText(says, prompt.text.slice(start, end)));
  }
  return prompt;
}
