import { Problem } from "../../prompt/problem.ts";
import { type DeclaredTurn, declaredTurnOf } from "../declared-turn.ts";
import { type Fact, field, flag, text } from "../facts.ts";
import { type FactFields, fields } from "../known-facts.ts";
import { type AssistantOptions, assistant, type Channels, exampleSoul } from "./assistant.ts";
import { identityFault, identityKeys } from "./identity.ts";

/** What one that is made on the spot is set up with. */
export const assistantDemo = {
  original: {
    soul: exampleSoul,
    identity: { name: "Ada", vibe: "Calm, direct, a little dry.", description: "a personal operations assistant" },
  },
};

/** What it is told. */
export const assistantFacts: FactFields = {
  original: { soul: "anything", identity: fields(identityKeys.join(" ")) },
  identity: fields(identityKeys.join(" ")),
};

export function assistantFromFacts(facts: Fact, clock: () => Date, channels: Channels = {}): DeclaredTurn {
  const across = flag(field(field(facts, "sessions"), "across")) ?? false;
  const declaration = assistant({ ...originalsOf(field(facts, "original")), channels, across });
  const identity = field(facts, "identity");
  const given = declaredTurnOf(declaration, facts, clock);
  if (identity.value === undefined || given.turn.standing.identity !== undefined) return given;
  for (const key of identityKeys) text(field(identity, key));
  const fault = identityFault(JSON.stringify(identity.value));
  if (fault) throw new Problem("bad-facts", `The fact “identity” ${fault}`, "It is { name, vibe, description }.");
  const standing = { ...given.turn.standing, identity: { text: JSON.stringify(identity.value), revision: 0 } };
  return { ...given, turn: { ...given.turn, standing } };
}

/** What the operator's two sections were born with: { soul, identity: { name, vibe, description } }. */
function originalsOf(original: Fact): AssistantOptions {
  if (typeof original.value === "string") return {};
  const soul = text(field(original, "soul"));
  const identity = field(original, "identity");
  const fault = identity.value === undefined ? undefined : identityFault(JSON.stringify(identity.value));
  if (fault)
    throw new Problem("bad-facts", `The fact “original.identity” ${fault}`, "It is { name, vibe, description }.");
  return {
    ...(soul === undefined ? {} : { soul }),
    ...(identity.value === undefined ? {} : { identity: JSON.stringify(identity.value) }),
  };
}
