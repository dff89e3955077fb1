import type { Host } from "../host/host.ts";
import type { CharterTraits } from "../host/load.ts";
import { Problem } from "../prompt/problem.ts";
import type { AgentRecord } from "../store/agents.ts";
import { sha256 } from "../store/texts/packing.ts";
import { notice } from "./common-fields.ts";
import { anything, either, list, object, oneOf, record, text, time } from "./field.ts";
import { traits } from "./models.ts";

export const charter = text(
  "artifact, assistant, sovereign, coder, resident; or, with the command, your own .ts or .js file.",
)
  .example("assistant")
  .option("name|file", "c");
export const settings = record(
  anything(),
  "The operator's facts for the charter: originals, limits, a time zone. docs/facts.md lists them.",
)
  .example({ zone: "Europe/Berlin" })
  .option("file|-")
  .fromFile();
export const models = either(text(), list(text(), undefined, { least: 1 }))
  .nullable()
  .says("As provider/model. Others behind it, by commas or in a list, are asked on an outage; null is the usual one.")
  .example(["anthropic/claude-sonnet-4-5", "openai/gpt-5"])
  .option("name,…", "m");
export const frozen = oneOf(
  ["amendments", "agent"],
  "What the operator has stopped: all amendments, or the agent itself.",
);
export const label = text("What people call it, in place of its name; the name itself never changes.").option("text");

export const facts = {
  name: text().example("ada").told(),
  charter: charter,
  model: text("As provider/model; null is the server's own default.").nullable(),
  fallbacks: list(text(), "The models that are asked, in this order, where the first cannot answer.").optional(),
  settings,
  frozen: frozen.nullable(),
  createdAt: time(),
  updatedAt: time(),
  label: label.example("Front desk").told().optional(),
  version: text("Of charter, models, settings and label; a new one when any of them changes.").example(
    "9f86d081884c7d65",
  ),
  removedAt: time().optional(),
  needs: traits.needs.optional(),
  served: traits.served
    .says("Whether it takes turns on this server. Left out, like `needs`, if its charter cannot be loaded.")
    .optional(),
};

export const agent = object({ ...facts, notices: list(notice).optional() }).named(
  "Agent",
  "A named configuration that can take turns.",
);

/** An agent as an operator is told of it. */
export async function wholeAgent(host: Host, one: AgentRecord) {
  return { ...one, version: agentVersion(one), ...(await traitsOf(host, one)) };
}

/** Nothing of one whose charter cannot be loaded, or may not be: what is wrong is told where it is used. */
async function traitsOf({ traits }: Host, one: AgentRecord): Promise<Partial<CharterTraits>> {
  try {
    return await traits(one);
  } catch (error) {
    if (error instanceof Problem) return {};
    throw error;
  }
}

/** Names how an agent is set up: another version as soon as anyone changes any of it. Freezing it changes nothing. */
export function agentVersion({ charter, model, fallbacks = [], settings, label }: AgentRecord): string {
  return sha256(JSON.stringify([charter, model, fallbacks, settings, label ?? null])).slice(0, 16);
}
