import type { MemoryPlace } from "../../../agent/declaration.ts";
import { splitModelName } from "../../../delivery/providers.ts";
import { checkAgentSettings } from "../../../host/agent-settings.ts";
import { noteBirth } from "../../../host/core-memory.ts";
import { modelFields, modelNames } from "../../../host/models/model-list.ts";
import { checkSettings, mergeSettings } from "../../../host/settings.ts";
import type { Notice } from "../../../prompt/notice.ts";
import { Problem } from "../../../prompt/problem.ts";
import { readJson } from "../../../sources/input-file.ts";
import { checkAgentName } from "../../../store/agent-name.ts";
import type { AgentRecord } from "../../../store/agents.ts";
import type { Store } from "../../../store/store.ts";
import { oneLine } from "../../print/columns.ts";
import { hintsHere } from "../../print/command-name.ts";
import type { NewKey } from "../../shared/key-file.ts";
import { withMemory } from "../../shared/memory-options.ts";
import { requiredOption } from "../../shared/options.ts";
import { withStore } from "../../shared/store.ts";
import { checkCharterFile, untrustedCharter } from "../../shared/trusted-database.ts";
import { agentTraits } from "./agent-facts.ts";
import type { AgentsValues } from "./agents-options.ts";

/** Everything is looked at before a database is made: what cannot be used is not added. */
export async function addAgent(name: string, values: AgentsValues): Promise<number> {
  const charter = requiredOption("agents add", "charter", values.charter);
  checkAgentName(name);
  const given = settingsOf(values);
  const models = modelFields(values.model ?? null);
  const whole = await withMemory({ name, charter, settings: mergeSettings({}, given) }, values);
  const { settings, notices } = await checkAgentSettings(
    { name, charter, settings: whole, given, models: await tableFor(whole) },
    clock,
  );
  tellNotices(notices);
  return withStore(
    values,
    async (store) => {
      const { made: agent, key } = await withKey(store, values, () =>
        store.agents.add({ name, charter, ...models, settings, ...labelOf(values) }),
      );
      const told = `“${name}” was added to ${store.home.place}. See its prompt: charter show --agent ${name}`;
      return tell(store, agent, values, told, key);
    },
    { create: true },
  );
}

/** A key pair is made where one was asked for, and is gone again where the agent could not be set up. */
async function withKey(
  store: Store,
  values: AgentsValues,
  make: () => Promise<AgentRecord>,
): Promise<{ made: AgentRecord; key?: NewKey }> {
  const file = values["new-key"];
  if (file === undefined) return { made: await make() };
  const key = await (await import("../../shared/key-file.ts")).makeKeyFile(file);
  try {
    const made = await make();
    await noteBirth(store, made.name, key.publicKey);
    return { made, key };
  } catch (error) {
    key.remove();
    throw error;
  }
}

export async function setAgent(name: string, values: AgentsValues): Promise<number> {
  if (Object.keys(values).every((option) => ["database", "json", "replace"].includes(option)))
    throw new Problem(
      "usage",
      "Nothing to change was given.",
      "Give --charter, --model, --settings, --second-opinion, --label or --relay.",
    );
  if (values.replace && values.settings === undefined)
    throw new Problem("usage", "--replace needs --settings, and none were given.", "Give --settings.");
  const given = settingsOf(values);
  return withStore(values, async (store) => {
    let notices: readonly Notice[] = [];
    const change = async (before: AgentRecord) => {
      const charter = values.charter ?? before.charter;
      // What is named now is theirs who names it; what a database says may have come with it.
      if (values.charter === undefined) await checkCharterFile(store, before);
      const merged = mergeSettings(values.replace ? {} : before.settings, given);
      const whole = await withMemory({ name, charter, settings: merged }, values);
      const checked = await checkAgentSettings(
        { name, charter, settings: whole, given, models: await tableFor(whole) },
        clock,
      );
      notices = checked.notices;
      const models = values.model === undefined ? { model: before.model } : modelFields(values.model);
      return { charter, ...models, settings: checked.settings, ...labelOf(values) };
    };
    // What cannot be used is said before a key is made for it.
    await change(await store.agents.get(name));
    const { made: agent, key } = await withKey(store, values, () => store.agents.update(name, change));
    tellNotices(notices);
    return tell(store, agent, values, `“${name}” was changed; its next prompt uses the new settings.`, key);
  });
}

/** What was given to be set: by a file, and by options that stand for one setting. */
function settingsOf({ settings, "second-opinion": model }: AgentsValues): Readonly<Record<string, unknown>> {
  const inFile = settings === undefined ? {} : checkSettings(readJson(settings, "settings file"));
  return { ...inFile, ...(model === undefined ? {} : { secondOpinion: model === "" ? null : model }) };
}

const clock = () => new Date();

/** What its charter will not read, and what was changed in its settings. */
function tellNotices(notices: readonly Notice[]): void {
  for (const { code, message } of notices) process.stderr.write(`notice: ${code}: ${message}\n`);
}

function labelOf({ label }: AgentsValues): { readonly label?: string | null } {
  return label === undefined ? {} : { label: label === "" ? null : label };
}

async function tell(
  store: Store,
  agent: AgentRecord,
  values: AgentsValues,
  told: string,
  key?: NewKey,
): Promise<number> {
  const made = key && { npub: key.npub, keyFile: key.file };
  if (values.json)
    process.stdout.write(`${JSON.stringify({ ...agent, ...(await agentTraits(store, agent)), ...made })}\n`);
  else
    process.stdout.write(
      `${hintsHere([told, ...keyLines(agent, values, key), ...(await acpLines(values))].join("\n"))}\n`,
    );
  const problem = await untrustedCharter(store, agent);
  if (problem)
    process.stderr.write(
      `notice: ${problem.code}: ${oneLine(hintsHere(`${problem.message} Until then it takes no turns. ${problem.hint}`))}\n`,
    );
  return 0;
}

/** Models of one's own, where one of them may be meant. */
async function tableFor({ secondOpinion }: { readonly secondOpinion?: unknown }) {
  return secondOpinion === undefined ? {} : (await import("../../shared/models.ts")).modelTable();
}

/** What is left to do before its core memory can be read. */
function keyLines({ settings }: AgentRecord, values: AgentsValues, key: NewKey | undefined): string[] {
  if (key === undefined && values.key === undefined) return [];
  const { key: name } = settings.memory as MemoryPlace;
  const file = JSON.stringify(key?.file ?? `${name}.key`);
  return [
    ...(key ? [`Its key is in ${key.file}: keep a copy, nobody else has one. Its public key is ${key.npub}`] : []),
    `Say where the key is, in charter.config.ts: keys: { ${/^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name)}: { file: ${file} } }`,
    "Then let commands run that file: charter trust",
  ];
}

/** What is left to do before an agent over ACP can be asked. */
async function acpLines({ model: given }: AgentsValues): Promise<string[]> {
  const [model = ""] = modelNames(given);
  if (splitModelName(model).provider !== "acp") return [];
  const { acpHere } = await import("../../shared/config-keys.ts");
  try {
    const entries = (await acpHere()) ?? {};
    if (Object.hasOwn(entries, splitModelName(model).model)) return [];
    const { unknownAgent } = await import("../../../host/models/acp.ts");
    const { message, hint } = unknownAgent(model, Object.keys(entries));
    return [`${message} ${hint}`, "Then let commands run that file: charter trust"];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return [`${error.message} ${error.hint}`];
  }
}
