import type { Declaration } from "../../agent/declaration.ts";
import { textFaults, utf8Bytes } from "../../amend/guards/text.ts";
import { checkOptions, type FieldChecks, isNumber, isText, optional } from "../../prompt/argument.ts";
import { openingEnd } from "../../prompt/character.ts";
import { type Charter, defineCharter } from "../../prompt/charter.ts";
import { grouped } from "../../prompt/problem.ts";
import { type DeclaredTurn, declaredTurnOf } from "../declared-turn.ts";
import { count, type Fact, type FactFields, field, fields, oneOf, text } from "../facts.ts";

/**
 * Options of `artifact`: the first text of the prompt, whether each user has a copy of it or all share one, its maximum size (8,000
 * bytes unless given), and the number of protected characters at its start (200 unless given).
 */
export type ArtifactOptions = {
  readonly original: string;
  readonly scope: "user" | "agent";
  readonly maxSizeBytes?: number;
  readonly protectedPrefixChars?: number;
};

const scopes = ["user", "agent"] as const;

const checks: FieldChecks<ArtifactOptions> = {
  original: [isText, "Give the words that the prompt begins its life with."],
  scope: [
    (value) => (scopes as readonly unknown[]).includes(value),
    'Give "user", a copy of the prompt for each user, or "agent", one that all users of the agent are sent.',
  ],
  maxSizeBytes: optional([isNumber, "Give a number of bytes."]),
  protectedPrefixChars: optional([isNumber, "Give a number of characters."]),
};

/** Ready-made charter: an agent that edits its own prompt, in one section with a protected opening. */
export function artifact(options: ArtifactOptions): Declaration {
  checkOptions("artifact", options, checks);
  const { original, scope, maxSizeBytes = 8000, protectedPrefixChars = 200 } = options;
  const charter: Charter = defineCharter({
    name: "artifact",
    layers: [
      {
        name: "artifact",
        owner: "agent",
        mutability: { amendableBy: ["agent", "operator"], scope },
        sections: [{ name: "prompt", original }],
      },
    ],
  });
  const opening = original.slice(0, openingEnd(original, protectedPrefixChars));
  return {
    charter,
    rules: async () => (await import("../rules.ts")).artifactRules(charter, { maxSizeBytes, protectedPrefixChars }),
    tools: async () => {
      const { modifySystemPrompt, readPrompt } = await import("../../agent/tools/index.ts");
      return [modifySystemPrompt({ section: "prompt" }), readPrompt(charter)];
    },
    fault: (_section, words) => {
      if (words === original) return undefined;
      if (utf8Bytes(words) > maxSizeBytes)
        return `it has ${grouped(utf8Bytes(words))} bytes; the limit is ${grouped(maxSizeBytes)}.`;
      if (!words.startsWith(opening))
        return `it no longer opens with the ${protectedPrefixChars} protected characters.`;
      const faults = textFaults(words);
      return faults.length > 0 ? `it holds ${faults.join(", and ")}.` : undefined;
    },
  };
}

/** Settings of an agent that is made for a demo. */
export const artifactDemo = {
  original: `You are a small agent that keeps its own instructions. Everything below this paragraph is yours to change with
modify_system_prompt, in small steps, and only when it helps the person you work for. This paragraph stays as it is.

## Goals
1. Answer truly, and say when you do not know.
2. Keep these instructions short.

## Notes
- Nothing yet.
`,
};

/** Facts this charter reads. */
export const artifactFacts: FactFields = {
  original: "anything",
  settings: fields("scope max_size_bytes protected_prefix_chars"),
};

export function artifactFromFacts(facts: Fact, clock: () => Date): DeclaredTurn {
  const settings = field(facts, "settings");
  const maxSizeBytes = count(field(settings, "max_size_bytes")) ?? 8000;
  const protectedPrefixChars = count(field(settings, "protected_prefix_chars")) ?? 200;
  // Where nobody says it, no user is sent what another one's turns changed.
  const scope = oneOf(field(settings, "scope"), scopes) ?? "user";
  const original = text(field(facts, "original")) ?? text(field(field(facts, "standing"), "prompt")) ?? "";
  return declaredTurnOf(artifact({ original, scope, maxSizeBytes, protectedPrefixChars }), facts, clock);
}
