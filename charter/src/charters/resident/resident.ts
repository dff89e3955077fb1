import type { Declaration } from "../../agent/declaration.ts";
import { checkOptions, type FieldChecks, isFunction, isText, optional } from "../../prompt/argument.ts";
import { type Charter, defineCharter } from "../../prompt/charter.ts";
import { empty, fromText, unavailable } from "../../prompt/reading.ts";
import type { Source } from "../../prompt/source.ts";
import { type DeclaredTurn, declaredTurnOf } from "../declared-turn.ts";
import { type Fact, field, oneOf, text } from "../facts.ts";

/** What an agent reads of itself when nobody has told it who it is, and its core memory is confirmed empty. */
export const newcomerWords = `You are new here. Nobody has told you yet who you are, and your core memory is empty.
Introduce yourself briefly, ask what you are needed for, and listen.
When you learn who you are, for whom you work and how they want things done, write it to your core memory: it is the one memory you will always be given.`;

/** The host's and the operator's text, and the source of the agent's core memory. */
export type ResidentOptions = { readonly base?: string; readonly operator?: string; readonly core: Source };

const checks: FieldChecks<ResidentOptions> = {
  base: optional([isText, "Give the host's words."]),
  operator: optional([isText, "Give the operator's words."]),
  core: [isFunction, "Give a source: a function that gives a reading of its core memory."],
};

/**
 * Ready-made charter: an agent whose identity is what the host says, what the operator says, and what the agent
 * remembers of itself. The text for newcomers is used only if there is no operator text and core memory is really
 * empty.
 */
export function resident(options: ResidentOptions): Declaration {
  checkOptions("resident", options, checks);
  const { base = "", operator = "", core } = options;
  const byOperator = { amendableBy: ["operator" as const] };
  const charter: Charter = defineCharter({
    name: "resident",
    layers: [
      { name: "base", owner: "host", mutability: byOperator, sections: [{ name: "base", original: base }] },
      {
        name: "identity",
        owner: "operator",
        mutability: byOperator,
        sections: [
          { name: "operator", original: operator },
          { name: "core", mutability: "live", trust: "user", sources: [core] },
        ],
        fallback: [{ name: "newcomer", mutability: "live", words: newcomerWords }],
      },
    ],
  });
  return { charter, rules: async () => (await import("../../agent/usual-rules.ts")).usualRules(charter) };
}

/** What one that is made on the spot is set up with. */
export const residentDemo = { base: "You live in a terminal and help whoever sits at it." };

export function residentFromFacts(facts: Fact, clock: () => Date): DeclaredTurn {
  const core = field(facts, "core");
  const status = oneOf(field(core, "status"), ["present", "empty", "unavailable"]) ?? "empty";
  const words = text(field(core, "text"));
  const reading =
    status === "present"
      ? fromText(words, { source: "core-memory" })
      : status === "empty"
        ? empty
        : unavailable("core memory is out of reach");
  const base = text(field(facts, "base")) ?? "";
  const operator = text(field(facts, "operator")) ?? "";
  const declaration = resident({ base, operator, core: () => reading });
  return declaredTurnOf(declaration, facts, clock);
}
