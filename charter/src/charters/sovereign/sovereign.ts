import type { Declaration } from "../../agent/declaration.ts";
import { checkOptions, isFunction, optional } from "../../prompt/argument.ts";
import { countCharacters } from "../../prompt/character.ts";
import { type Charter, defineCharter } from "../../prompt/charter.ts";
import { withCompactLine } from "../../prompt/compact.ts";
import { empty, fromText, type Reading, type Source } from "../../prompt/reading.ts";
import type { Layer } from "../../prompt/section.ts";
import { type DeclaredTurn, declaredTurnOf } from "../declared-turn.ts";
import { count, type Fact, type FactFields, field, fields, line, list, oneOf, required } from "../facts.ts";
import { nowFromFacts, nowReading } from "./now.ts";
import { amendableLayers, fixedLayers, type LayerWords, nowTitle, placeChoices, type SovereignPlace } from "./words.ts";

/** The sources of the three layers of `sovereign` that are not plain text. */
export type SovereignSources = {
  /** A short label, set by the operator, for layer 3: see `soulReading`. */
  readonly soul: Source;
  /** Active skills, set by the operator, for layer 5: see `inlineSkillsReading`. */
  readonly skills: Source;
  /** Layer 10, made anew each turn: see `nowReading`. */
  readonly now: Source;
};

const settingsOf: Readonly<Record<string, keyof SovereignSources>> = { identity: "soul", operations: "skills" };

const aSource = [isFunction, "Give a source: a function that gives a reading."] as const;

const aChoice = (choices: readonly string[]) =>
  optional([(given) => choices.includes(given as string), `It can be ${choices.join(", ")}.`]);

/**
 * Ready-made charter: an autonomous agent with eleven numbered layers. Six are fixed, four the agent may change, one is
 * made anew each turn. `place` says what is so where it lives.
 */
export function sovereign(sources: SovereignSources, place: SovereignPlace = {}): Declaration {
  checkOptions("sovereign", sources, { soul: aSource, skills: aSource, now: aSource });
  checkOptions("sovereign", place, {
    runtime: aChoice(placeChoices.runtime),
    key: aChoice(placeChoices.key),
    tools: aChoice(placeChoices.tools),
  });
  const fixed = fixedLayers(place);
  const charter: Charter = defineCharter({
    name: "sovereign",
    separator: "\n\n---\n\n",
    limit: { chars: 8000, compact: { tokens: 800 } },
    layers: [
      ...fixed.map((words, number): Layer => {
        const setting = settingsOf[words.section];
        return {
          name: String(number),
          owner: "charter",
          mutability: "fixed",
          sections: [
            {
              name: words.section,
              heading: headingOf(number, words),
              words: words.words,
              ...(words.wordings === undefined ? {} : { wordings: words.wordings }),
              ...(words.short === undefined ? {} : { short: words.short, compact: "short" }),
              ...(setting === undefined ? {} : { sources: [sources[setting]] }),
            },
          ],
        };
      }),
      ...amendableLayers.map((words, index): Layer => {
        const number = index + fixed.length;
        return {
          name: String(number),
          owner: "agent",
          mutability: { amendableBy: ["agent", "operator"] },
          sections: [
            {
              name: words.section,
              heading: headingOf(number, words),
              original: withCompactLine(words.words, words.short),
              compact: "line",
            },
          ],
        };
      }),
      {
        name: "10",
        owner: "system",
        mutability: "live",
        sections: [
          {
            name: "now",
            heading: headingOf(10, { title: nowTitle }),
            sources: [sources.now],
            stability: "state",
            reserve: { chars: 1400, tokens: 260 },
          },
        ],
      },
    ],
    givesWay: [
      { section: "now", parts: "fact", from: "end", told: "(older facts cut: {missing})" },
      {
        section: "now",
        parts: "older-exchange",
        from: "start",
        to: "short",
        told: "(older exchanges shortened: {missing})",
      },
      { section: "now", parts: "older-exchange", from: "start", told: "(older exchanges cut: {missing})" },
      { section: "now", parts: "counterpart", from: "end", keep: 5, told: "(conversations cut: {missing})" },
      {
        section: "now",
        parts: "obligation",
        from: "end",
        to: "short",
        told: "(obligation previews cut: {missing})",
      },
      { section: "now", parts: "exchange", from: "end", to: "short", told: "(exchanges shortened: {missing})" },
      { section: "now", parts: "exchange", from: "end", told: "(exchanges cut: {missing})" },
      { section: "now", parts: "counterpart", from: "end", told: "(conversations cut: {missing})" },
      { section: "now", parts: "obligation", from: "end", keep: 1, told: "(obligations cut: {missing})" },
      { section: "now", parts: "tool", from: "end", told: "(tools cut: {missing})" },
      ...amendableLayers.toReversed().map(({ section }) => ({
        section,
        edition: "compact" as const,
        from: "end" as const,
        told: "(in force; cut here)",
      })),
    ],
  });
  return {
    charter,
    needs: ["inbox", "conversations", "notes"],
    rules: async () => (await import("../rules.ts")).sovereignRules(charter),
    tools: async () => {
      const { forgetMemory, readMemory, readPrompt, saveMemory, updateMemory, updatePromptLayer } = await import(
        "../../agent/tools/index.ts"
      );
      const inbox = true;
      const notes = [readMemory({ inbox }), saveMemory({ inbox }), updateMemory({ inbox }), forgetMemory({ inbox })];
      return [updatePromptLayer(charter), ...notes, readPrompt(charter)];
    },
    fault: (_section, words) => {
      const characters = countCharacters(words.trim());
      return characters >= 1 && characters <= 4000
        ? undefined
        : `it has ${characters} characters, and 1 to 4000 may stand.`;
    },
  };
}

function headingOf(number: number, { title }: Pick<LayerWords, "title">): string {
  return `## Layer ${number}: ${title}`;
}

/** Makes the reading of the sovereign's soul, for layer 3. */
export function soulReading(soul: string | undefined): Reading {
  return soul === undefined ? empty : fromText(`You are \`${soul}\`.`, { source: "soul", short: "" });
}

/** Makes the reading of the sovereign's active skills, for layer 5: short instructions, each on a line. */
export function inlineSkillsReading(
  skills: readonly { readonly name: string; readonly instructions: string }[],
): Reading {
  if (skills.length === 0) return empty;
  const lines = skills.map(({ name, instructions }) => ({
    text: `- ${name}: ${instructions}`,
    id: name,
    source: "skills",
  }));
  return { status: "present", parts: [{ text: "### Active Skills", source: "skills" }, ...lines] };
}

/** What one that is made on the spot is set up with. */
export const sovereignDemo = { soul: "demo" };

/** What it is told. */
export const sovereignFacts: FactFields = {
  ...fields("soul waiting reserve"),
  skills: [fields("name instructions")],
  place: fields(Object.keys(placeChoices).join(" ")),
  state: fields("cycles_balance burn_per_hour survival_tier base_wallet eth_balance turn_number state"),
  inbox: [fields("id sender body")],
  conversations: { "*": [fields("sender_body agent_reply")] },
  memory: [fields("key value tainted")],
};

export function sovereignFromFacts(facts: Fact, clock: () => Date): DeclaredTurn {
  const soul = soulReading(soulLabel(field(facts, "soul")));
  const skills = inlineSkillsReading(
    list(field(facts, "skills")).map((skill) => ({
      name: required(field(skill, "name"), line(field(skill, "name"), 64)),
      instructions: required(field(skill, "instructions"), line(field(skill, "instructions"), 500)),
    })),
  );
  // What is kept back of a grant is looked at where survival is measured; here it is only checked.
  count(field(facts, "reserve"));
  const told = nowFromFacts(facts);
  const now: Source = ({ now: timestamp, tools, callsLeft, phase = told.state.state }) =>
    nowReading({ ...told, state: { ...told.state, state: phase }, timestamp, tools, callsLeft });
  const declaration = sovereign({ soul: () => soul, skills: () => skills, now }, placeOf(field(facts, "place")));
  return declaredTurnOf(declaration, facts, clock);
}

function placeOf(fact: Fact): SovereignPlace {
  const runtime = oneOf(field(fact, "runtime"), placeChoices.runtime);
  const key = oneOf(field(fact, "key"), placeChoices.key);
  const tools = oneOf(field(fact, "tools"), placeChoices.tools);
  return {
    ...(runtime === undefined ? {} : { runtime }),
    ...(key === undefined ? {} : { key }),
    ...(tools === undefined ? {} : { tools }),
  };
}

function soulLabel(fact: Fact): string | undefined {
  return line(fact, 80)?.replaceAll("`", "'");
}
