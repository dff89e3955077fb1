import type { Host } from "../host/host.ts";
import type { CharterTraits } from "../host/load.ts";
import { Problem } from "../prompt/problem.ts";
import type { Notice } from "../prompt/reading.ts";
import type { AgentRecord } from "../store/agents.ts";
import { sha256 } from "../store/texts/packing.ts";
import {
  agent as agentName,
  anything,
  either,
  flag,
  list,
  notice,
  object,
  oneOf,
  record,
  text,
  time,
} from "./field.ts";
import { traits } from "./models.ts";
import { type OperationContext, operation } from "./operation.ts";
import { hintsHere } from "./print/command-name.ts";

const charter = text("artifact, assistant, sovereign, coder, resident; or, with the command, your own .ts or .js file.")
  .example("assistant")
  .option("name|file", "c");
const settings = record(
  anything(),
  "The operator's facts for the charter: originals, limits, a time zone. docs/facts.md lists them.",
)
  .example({ zone: "Europe/Berlin" })
  .option("file|-")
  .fromFile();
const models = either(text(), list(text(), undefined, { least: 1 }))
  .nullable()
  .says("As provider/model. Others behind it, by commas or in a list, are asked on an outage; null is the usual one.")
  .example(["anthropic/claude-sonnet-4-5", "openai/gpt-5"])
  .option("name,…", "m");
const frozen = oneOf(["amendments", "agent"], "What the operator has stopped: all amendments, or the agent itself.");
const label = text("What people call it, in place of its name; the name itself never changes.").option("text");

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

const agent = object({ ...facts, notices: list(notice).optional() }).named(
  "Agent",
  "A named configuration that can take turns.",
);

/** An agent's record with its version and its charter's traits, as operators see it. */
export async function wholeAgent(host: Host, one: AgentRecord) {
  return { ...one, version: agentVersion(one), ...(await traitsOf(host, one)) };
}

/** Returns no traits if the charter cannot be loaded, or may not be: the error is shown where the charter is used. */
async function traitsOf({ traits }: Host, one: AgentRecord): Promise<Partial<CharterTraits>> {
  try {
    return await traits(one);
  } catch (error) {
    if (error instanceof Problem) return {};
    throw error;
  }
}

/** Computes the version of an agent's setup. It changes with any setting; freezing the agent does not change it. */
function agentVersion({ charter, model, fallbacks = [], settings, label }: AgentRecord): string {
  return sha256(JSON.stringify([charter, model, fallbacks, settings, label ?? null])).slice(0, 16);
}

/** Fields that only the command accepts: where a resident's core memory is, and where its key goes. */
const commandOnly = {
  secondOpinion: text(
    'A model that reviews what the agent and its users propose: the screen only knows a list of phrasings (docs/guards.md); "" takes it away.',
  )
    .option("model")
    .only("command")
    .optional(),
  relay: list(text(), "A relay that its core memory is on, wss:// or https://.")
    .option("address")
    .only("command")
    .optional(),
  owner: text("The public key of whose agent it is, npub or hex.").option("npub").only("command").optional(),
  key: text("What its key is called in charter.config.ts (default: as the agent).")
    .option("name")
    .only("command")
    .optional(),
  newKey: text("Make a key pair, and write the secret key to this new file (docs/resident.md).")
    .option("file")
    .only("command")
    .optional(),
};

const addAgent = operation({
  name: "agents.add",
  says: "Add an agent",
  route: "POST /agents",
  command: "agents add <name>",
  examples: [
    ["charter agents add ada --charter assistant", "add one; creates the database if there is none"],
    [
      "charter agents add ada -c resident --relay wss://relay.example.org --owner npub1… --new-key ada.key",
      "one whose core memory is on Nostr, with a new key pair",
    ],
    `echo '{"original":{"soul":"Be kind.","identity":{"name":"Ada"}}}' | charter agents add ada -c assistant --settings -`,
  ],
  example: { name: "ada", charter: "assistant" },
  who: "operator",
  makesDatabase: true,
  input: {
    name: text("A name: letters, digits, “-”, “_” and “.”, with a letter or a digit at both ends.").example("ada"),
    charter,
    model: models.optional(),
    settings: settings.optional(),
    label: label.nullable().optional(),
    ...commandOnly,
  },
  answer: agent,
  statuses: { 201: "The agent." },
  refuses: [404, 409],
  run: async (context, { name, charter, model = null, settings: given = {}, label = null }) => {
    const [{ checkAgentName }, { checkSettings, mergeSettings }] = await Promise.all([
      import("../store/scope.ts"),
      import("../host/agent-settings.ts"),
    ]);
    checkAgentName(name);
    await checkNoFile(context, charter);
    const host = await context.host();
    const setup = { name, charter, model, settings: mergeSettings({}, checkSettings(given)), given };
    const { notices, ...checked } = await host.checkAgent(setup);
    const added = await context.store.agents.add({ name, charter, ...checked, label: label === "" ? null : label });
    return withNotices(await wholeAgent(host, added), notices);
  },
});

const setAgent = operation({
  name: "agents.set",
  says: "Change an agent's settings",
  about:
    "What is left out stays. Settings are merged into those there are: the fields of an object one by one, and null removes. A name the charter does not read is refused.",
  route: "PATCH /agents/{agent}",
  command: "agents set <agent?>",
  examples: [
    ["charter agents set ada --model claude-sonnet-4-5", "change only what is given"],
    ['charter agents set ada --label "Front desk"', 'what people see in place of its name; "" takes it away'],
  ],
  example: { model: "openai/gpt-5" },
  who: "operator",
  input: {
    agent: agentName,
    charter: charter.optional(),
    model: models.optional(),
    settings: settings.optional(),
    replace: flag("The settings given are all there are, instead of being merged.").optional(),
    label: label.nullable().optional(),
    version: text("The version you have read. If it is another one by now, nothing is changed.").option("v").optional(),
    ...commandOnly,
  },
  answer: agent,
  statuses: { 200: "The agent; its next prompt uses the new settings." },
  refuses: [409],
  run: async (context, { agent: name, version, replace = false, label, ...change }) => {
    const { charter: namedCharter, model: namedModel, settings: newSettings } = change;
    if (replace && newSettings === undefined)
      throw new Problem("usage", "“replace” needs settings, and none were given.", "Give settings.");
    if ([namedCharter, namedModel, newSettings, label].every((one) => one === undefined))
      throw new Problem("usage", "Nothing to change was given.", "Give charter, model, settings or label.");
    const { checkSettings, mergeSettings } = await import("../host/agent-settings.ts");
    const { isCharterPath } = await import("../host/load.ts");
    const host = await context.host();
    let notices: readonly Notice[] = [];
    const changed = await context.store.agents.update(name, async (before) => {
      if (version !== undefined && version !== agentVersion(before)) throw staleAgent(name);
      const { charter = before.charter, settings: some = {} } = change;
      // The current model stays, and the fallbacks behind it.
      const model = namedModel === before.model ? undefined : namedModel;
      if (charter !== before.charter) await checkNoFile(context, charter);
      // The host decides whether a charter's file or folder may be used, before it is.
      else if (isCharterPath(charter)) await host.snapshot({ agent: name });
      const merged = mergeSettings(replace ? {} : before.settings, checkSettings(some));
      const { notices: found, ...checked } = await host.checkAgent({
        ...{ name, charter, settings: merged, given: some, before },
        ...(model === undefined ? {} : { model }),
      });
      notices = found;
      const called = label === undefined ? {} : { label: label === "" ? null : label };
      return { charter, model: before.model, ...checked, ...called };
    });
    return withNotices(await wholeAgent(host, changed), notices);
  },
});

const freeze = operation({
  name: "agents.freeze",
  says: "Freeze an agent's amendments, or the agent itself",
  about: "Takes effect at once, in every process that uses this database.",
  route: "POST /agents/{agent}/freeze",
  command: "freeze <agent?>",
  examples: [
    ["charter freeze ada", "no amendment of ada is accepted, whoever proposes it"],
    ["charter freeze ada --all", "ada runs no turns either"],
    ["charter thaw ada", "undo both"],
  ],
  example: { what: "amendments" },
  who: "operator",
  input: {
    agent: agentName,
    what: frozen.says("`amendments` (default), or `agent`: it takes no turns either.").only("route").optional(),
    all: flag("Stop the agent itself, not only its amendments.").only("command").optional(),
  },
  answer: agent,
  statuses: { 200: "The agent is frozen." },
  run: async ({ store, host }, { agent: name, all, what = all ? "agent" : "amendments" }) => {
    await store.agents.get(name);
    return wholeAgent(await host(), await store.agents.freeze(name, what));
  },
  lines: ({ name, frozen: what }, _, there = "") => {
    const stopped =
      what === "agent" ? `“${name}” is frozen: it takes no turns` : `The amendments of “${name}” are frozen`;
    return [hintsHere(`${stopped}. Undo it with: charter thaw ${name}${there}`)];
  },
});

const thaw = operation({
  name: "agents.thaw",
  says: "Unfreeze an agent",
  route: "POST /agents/{agent}/thaw",
  command: "thaw <agent?>",
  examples: ["charter thaw ada"],
  who: "operator",
  input: { agent: agentName },
  answer: agent,
  statuses: { 200: "The agent is not frozen any more." },
  run: async ({ store, host }, { agent: name }) => {
    await store.agents.get(name);
    return wholeAgent(await host(), await store.agents.thaw(name));
  },
  lines: ({ name }) => [`“${name}” is thawed.`],
});

const removeAgent = operation({
  name: "agents.remove",
  says: "Remove an agent",
  about:
    "It takes no turns any more, its schedules end, what waits for a person is rejected, its tokens are revoked, and lists leave it out. Its records and its name are kept. The command saves them to a file first, and erases them on request.",
  route: "DELETE /agents/{agent}",
  command: "agents remove <agent>",
  examples: [["charter agents remove ada", "freeze it, save all of it to a file, and take it out of every list"]],
  who: "operator",
  input: {
    agent: agentName,
    output: text("The file (default: its name and the time, .checkpoint).")
      .option("file", "o")
      .only("command")
      .optional(),
    erase: flag(
      "Also delete every word of it and of all who spoke with it. What its chains need stays, so charter verify holds.",
    )
      .only("command")
      .optional(),
    yes: flag("Erase without asking first.").only("command").optional(),
  },
  answer: agent,
  statuses: { 200: "The agent is removed." },
  run: async ({ store }, { agent: name }) => {
    await store.agents.get(name);
    const { agent: removed } = await store.remove(name);
    return { ...removed, version: agentVersion(removed) };
  },
});

function withNotices<One extends object>(one: One, notices: readonly Notice[]) {
  return { ...one, ...(notices.length === 0 ? {} : { notices }) };
}

function staleAgent(name: string): Problem {
  return new Problem(
    "stale",
    `The settings of “${name}” were changed since you read them. Nothing was saved.`,
    "Read them again, and make your change on top of them.",
  );
}

/**
 * Refuses a charter's path over the network: holding an operator's token does not mean being trusted to run code on the machine, or
 * to read its files.
 */
async function checkNoFile({ caller }: OperationContext, charter: string): Promise<void> {
  const { isCharterFile, isCharterPath } = await import("../host/load.ts");
  if (caller.by === "command" || !isCharterPath(charter)) return;
  throw new Problem(
    "not-allowed",
    isCharterFile(charter)
      ? `The charter “${charter}” is a file, which is code: it is not chosen over the network.`
      : `The charter “${charter}” is a folder of that machine: it is not chosen over the network.`,
    'Set the agent up where the server runs, with `charter agents`; or name it in charter.config.ts, as in charters: { tally: "./tally" }.',
  );
}

export const operations = [addAgent, setAgent, freeze, thaw, removeAgent];
