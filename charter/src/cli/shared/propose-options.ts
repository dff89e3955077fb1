import type { Actor } from "../../prompt/mutability.ts";
import { Problem } from "../../prompt/problem.ts";
import { agentOptions, promptOptions } from "./options.ts";

const { charter: _, ...assembling } = promptOptions;

/** What every command understands that changes words in a database. */
export const proposeOptions = {
  ...assembling,
  ...agentOptions,
  section: { type: "string", short: "s" },
  revision: { type: "string" },
  reason: { type: "string" },
  actor: { type: "string" },
  turn: { type: "string" },
  key: { type: "string" },
  "dry-run": { type: "boolean" },
  quote: { type: "boolean" },
  model: { type: "string", short: "m" },
} as const;

export type ProposeValues = {
  readonly [Name in keyof typeof proposeOptions]?:
    | ((typeof proposeOptions)[Name]["type"] extends "boolean" ? boolean : string)
    | undefined;
};

export function actorOf(name: string): Actor {
  if (name === "agent" || name === "user" || name === "operator") return name;
  throw new Problem("usage", `There is no actor “${name}”.`, "An actor is agent, user or operator.");
}
