import type { MemoryPlace } from "../../agent/declaration.ts";
import { factsOf } from "../../charters/facts.ts";
import { isKeyName, keyNameFault, ownerFault } from "../../charters/resident/resident.ts";
import { checkAgent, checkSettings, type KnownHere, mergeSettings } from "../../host/agent-settings.ts";
import { noteBirth } from "../../host/core-memory.ts";
import { agentCharter, isFoundByName, loadCharter } from "../../host/load.ts";
import { onlyAgent } from "../../operations/only-one.ts";
import type { OperationContext } from "../../operations/operation.ts";
import { oneLine, progressOn, sizeText } from "../../operations/print/columns.ts";
import { hintsHere } from "../../operations/print/command-name.ts";
import { counted, Problem } from "../../prompt/problem.ts";
import type { Notice } from "../../prompt/reading.ts";
import { loadNostr } from "../../sources/core-memory/memory-key.ts";
import { relayFault } from "../../sources/core-memory/relay.ts";
import type { AgentRecord } from "../../store/agents.ts";
import { checkAgentName } from "../../store/scope.ts";
import type { Store } from "../../store/store.ts";
import type { ParsedCommand } from "../command/parse-command.ts";
import { asOperator } from "../command/perform.ts";
import { withStore } from "../shared/store.ts";
import { createHere, type Here } from "../shared/trust/here.ts";
import { askFirst, untrustedCharter } from "../shared/trust/trusted-database.ts";

type Settings = Readonly<Record<string, unknown>>;

/** Options of `agents add` and `agents set`, besides the operation's fields. */
type SetupInput = MemoryValues & {
  readonly name?: string;
  readonly agent?: string;
  readonly secondOpinion?: string;
  readonly charter?: string;
  readonly settings?: Settings;
  readonly model?: string;
};

export function run(parsed: ParsedCommand): Promise<number> {
  return parsed.operation.name === "agents.remove" ? remove(parsed) : setUp(parsed);
}

/** Adds or changes an agent, and makes a resident's key pair if one is asked for. */
async function setUp({ operation, input, json, database }: ParsedCommand): Promise<number> {
  const { secondOpinion, relay, owner, key: keyName, newKey, ...asked } = input as SetupInput;
  const memory = { relay, owner, key: keyName, newKey };
  const inFile = asked.settings === undefined ? {} : checkSettings(asked.settings);
  const settings = { ...inFile, ...(secondOpinion === undefined ? {} : { secondOpinion: secondOpinion || null }) };
  const here = createHere();
  const isNew = operation.name === "agents.add";
  // Settings that cannot be used are refused before a database or a key is made.
  if (isNew)
    await checkNew(
      { name: asked.name as string, charter: asked.charter as string, model: asked.model },
      settings,
      memory,
      here,
    );
  const work = async (context: OperationContext) => {
    const name = asked.name ?? (await onlyAgent(context.store, asked.agent));
    const whole = await settingsWith(context, { name, charter: asked.charter, given: settings, memory });
    const hasSettings = Object.keys(whole).length > 0 || asked.settings !== undefined;
    const setup = { ...asked, ...(isNew ? {} : { agent: name }), ...(hasSettings && { settings: whole }) };
    const { answer, key } = await withKey(context, { name, file: newKey }, () =>
      (operation.run as NonNullable<typeof operation.run>)(withHere(context, here), setup),
    );
    const { notices = [], ...agent } = answer as AgentRecord & { readonly notices?: readonly Notice[] };
    for (const { code, message } of notices) process.stderr.write(`notice: ${code}: ${message}\n`);
    const { place } = context.store.home;
    const summary = isNew
      ? `“${name}” was added to ${place}. See its prompt: charter show --agent ${name}`
      : `“${name}” was changed; its next prompt uses the new settings.`;
    const keyFields = key && { npub: key.npub, keyFile: key.file };
    if (json) process.stdout.write(`${JSON.stringify({ ...agent, ...keyFields })}\n`);
    else process.stdout.write(`${hintsHere([summary, ...keyLines(agent, memory, key)].join("\n"))}\n`);
    const problem = await untrustedCharter(context.store, agent);
    if (problem) {
      const why = hintsHere(`${problem.message} Until then it takes no turns. ${problem.hint}`);
      process.stderr.write(`notice: ${problem.code}: ${oneLine(why)}\n`);
    }
    return 0;
  };
  return asOperator({ database, here }, work, isNew);
}

async function checkNew(
  { name, charter, model }: { readonly name: string; readonly charter: string; readonly model: string | undefined },
  given: Settings,
  memory: MemoryValues,
  here: Here,
): Promise<void> {
  checkAgentName(name);
  const settings = await withMemory({ name, charter, settings: mergeSettings({}, given) }, memory);
  await checkAgent({ name, charter, model, settings, given }, knownIn(here));
}

/** Settings with the options about core memory, on top of those the agent has. */
async function settingsWith(
  { store }: OperationContext,
  about: {
    readonly name: string;
    readonly charter: string | undefined;
    readonly given: Settings;
    readonly memory: MemoryValues;
  },
): Promise<Settings> {
  const { name, given, memory } = about;
  if (Object.values(memory).every((value) => value === undefined)) return given;
  const before = await store.agents.find(name);
  const charter = about.charter ?? before?.charter ?? "";
  const settings = mergeSettings(before?.settings ?? {}, given);
  return { ...given, memory: (await withMemory({ name, charter, settings }, memory)).memory };
}

/** Makes a key pair if one is asked for, and deletes it again if the agent could not be set up. */
async function withKey(
  { store }: OperationContext,
  { name, file }: { readonly name: string; readonly file: string | undefined },
  make: () => Promise<unknown>,
): Promise<{ readonly answer: unknown; readonly key?: NewKey }> {
  if (file === undefined) return { answer: await make() };
  const key = await makeKeyFile(file);
  try {
    const answer = await make();
    await noteBirth(store, name, key.publicKey);
    return { answer, key };
  } catch (error) {
    key.remove();
    throw error;
  }
}

/** Checks agents by what servers here would know, as far as that may be read. */
function withHere(context: OperationContext, here: Here): OperationContext {
  const host = async () => ({
    ...(await context.host()),
    checkAgent: (asked: Parameters<typeof checkAgent>[0]) => checkAgent(asked, knownIn(here, context.store)),
  });
  return { ...context, host };
}

/** Collects what servers here would know. Settings that are not trusted are not run, so the result is marked as unsure. */
function knownIn(here: Here, store?: Store) {
  const known = async (): Promise<KnownHere> => {
    let unsure: Problem | undefined;
    const { models, acp, mcp } =
      (await here.settings("which models and servers there are").catch((error: unknown) => {
        if (!(error instanceof Problem) || error.code !== "config-untrusted") throw error;
        unsure = error;
      })) ?? {};
    const namesIn = (all: object = {}, before = "") => Object.keys(all).map((name) => before + name);
    const names = { acp: async () => namesIn(acp, "acp/"), mcp: async () => namesIn(mcp) };
    return { env: await here.environment(), models, ...names, unsure };
  };
  const charterOf = async (agent: Pick<AgentRecord, "name" | "charter">) => {
    const { charters } = isFoundByName(agent.charter) ? {} : await here.trustedSettings();
    return agentCharter(agent, { charters, sources: here.sources, ...(store ? { store } : {}) });
  };
  return { known, charterOf, clock: () => new Date() };
}

/** Lines about what is left to do before the core memory can be read. */
function keyLines(
  { settings }: Pick<AgentRecord, "settings">,
  memory: MemoryValues,
  key: NewKey | undefined,
): string[] {
  if (key === undefined && memory.key === undefined) return [];
  const { key: name } = settings.memory as MemoryPlace;
  const file = JSON.stringify(key?.file ?? `${name}.key`);
  return [
    ...(key ? [`Its key is in ${key.file}: keep a copy, nobody else has one. Its public key is ${key.npub}`] : []),
    `Say where the key is, in charter.config.ts: keys: { ${/^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name)}: { file: ${file} } }`,
    "Then let commands run that file: charter trust",
  ];
}

/** Options that say where a resident's core memory is. */
export type MemoryValues = {
  readonly relay?: readonly string[] | undefined;
  readonly owner?: string | undefined;
  readonly key?: string | undefined;
  readonly newKey?: string | undefined;
};

type Agent = { readonly name: string; readonly charter: string; readonly settings: Readonly<Record<string, unknown>> };

/** Settings of the agent with the options about its core memory; those not given stay. */
export async function withMemory(agent: Agent, values: MemoryValues): Promise<Agent["settings"]> {
  const option = (["relay", "owner", "key", "newKey"] as const).find((name) => values[name] !== undefined);
  if (option === undefined) return agent.settings;
  const before = Object(agent.settings.memory) as Partial<MemoryPlace>;
  const { relay: relays = before.relays, owner = before.owner, key = before.key ?? agent.name } = values;
  if (relays === undefined) throw usage("A core memory needs --relay, where it is kept.");
  if (owner === undefined) throw usage("A core memory needs --owner, the public key (npub) of whose agent it is.");
  if (!isKeyName(key)) throw usage(`--key ${keyNameFault}.`);
  for (const [at, relay] of (values.relay ?? []).entries()) {
    const fault = relayFault(relay);
    if (fault !== undefined) throw usage(`--relay ${quotedWord(relay) ?? `(number ${at + 1})`} ${fault}.`);
  }
  if (values.owner !== undefined) checkOwner(values.owner);
  const settings = { ...agent.settings, memory: { relays, owner, key } };
  const facts = factsOf({ ...settings, agent: agent.name });
  if ((await (await loadCharter(agent.charter)).given(facts, () => new Date())).memory) return settings;
  throw usage(
    `--${option === "newKey" ? "new-key" : option} needs a charter with a core memory: ${agent.charter} has none.`,
  );
}

function checkOwner(owner: string): void {
  const fault = ownerFault(owner);
  if (fault !== undefined) throw usage(`--owner ${fault}.`);
}

/** Quotes a word in an error only if it cannot be a secret. */
function quotedWord(word: string): string | undefined {
  return /nsec1|[0-9a-f]{64}|@|#/i.test(word) ? undefined : `“${word}”`;
}

function usage(message: string): Problem {
  return new Problem("usage", message, "See charter agents --help, and docs/resident.md.");
}

const { closeSync, openSync, rmSync, writeSync } = process.getBuiltinModule("node:fs");

/** A key pair that was just made; the secret key is in its file, and nowhere else. */
type NewKey = {
  readonly npub: string;
  /** Public key in hex. */
  readonly publicKey: string;
  readonly file: string;
  readonly remove: () => void;
};

/** Makes a key pair. Only its owner can read the file, and an existing one is never overwritten. */
async function makeKeyFile(file: string): Promise<NewKey> {
  const nostr = await loadNostr();
  const secret = nostr.newSecret();
  const handle = openNew(file);
  try {
    writeSync(handle, `${nostr.nsec(secret)}\n`);
  } finally {
    closeSync(handle);
  }
  const publicKey = nostr.publicKey(secret);
  return { npub: nostr.npub(publicKey), publicKey, file, remove: () => rmSync(file) };
}

function openNew(file: string): number {
  try {
    return openSync(file, "wx", 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST")
      throw new Problem(
        "file-exists",
        `There is a file at ${file} already: a key is never written over.`,
        "To use the key in it, leave --new-key out; or name another file.",
      );
    throw new Problem(
      "unwritable",
      `The key could not be written to ${file}: ${code}.`,
      "Name a file in a directory you may write to.",
    );
  }
}

type RemoveValues = {
  readonly output?: string;
  readonly erase?: boolean;
  readonly yes?: boolean;
  readonly json: boolean;
};

/** Freezes an agent, saves all of it to a file, and takes it out of every list; with --erase its texts are deleted as well. */
async function remove({ input, json, database }: ParsedCommand): Promise<number> {
  const { agent: name, ...asked } = input as RemoveValues & { readonly agent: string };
  const values = { ...asked, json };
  return withStore({ database }, async (store) => {
    const before = (await store.agents.list({ removed: true })).find((one) => one.name === name);
    if (!before) await store.agents.get(name);
    const again = before?.removedAt !== undefined;
    if (again && !values.erase) await store.agents.get(name);
    if (values.erase && !(await mayErase(name, values))) return 1;
    const saved = again ? undefined : await save(store, before as AgentRecord, values);
    const { agent, erased, scrubbed } = await store.remove(name, { erase: values.erase === true });
    if (json)
      process.stdout.write(`${JSON.stringify({ agent: name, removedAt: agent.removedAt, ...saved, erased })}\n`);
    else
      process.stdout.write(
        `${[
          ...(saved ? [`Saved everything of “${name}” to ${saved.file} (${saved.what}).`] : []),
          ...(again
            ? []
            : [`“${name}” was removed: it takes no turns, and its schedules, bots and tokens are stopped.`]),
          ...(erased ? [erasedText(erased)] : []),
          ...(saved && erased ? [`${saved.file} still has every word: delete it, if nobody may have them.`] : []),
          ...(saved ? backLines(name, saved.file) : []),
        ].join("\n")}\n`,
      );
    if (scrubbed === false)
      process.stderr.write(
        `Another process still reads ${store.home.place}, so erased text may still be in its log. When that process is done, run this again.\n`,
      );
    return 0;
  });
}

/** Lines about restoring the agent, which was saved frozen. */
function backLines(name: string, file: string): string[] {
  return [`Bring it back: charter checkpoint restore ${file} --replace`, `Then: charter thaw ${name}`].map(hintsHere);
}

/** Asks before erasing, because the data is gone for everyone the agent spoke with. */
async function mayErase(name: string, { yes, json }: RemoveValues): Promise<boolean> {
  if (yes) return true;
  if (json || !process.stdin.isTTY || !process.stdout.isTTY)
    throw new Problem(
      "usage",
      `--erase deletes every word of “${name}” and of all who spoke with it.`,
      "Add --yes, if that is what you want.",
    );
  const lines = [`Every word of “${name}” and of all who spoke with it is deleted. It cannot be undone.`];
  const answer = await askFirst(lines, `Type its name to go on: `);
  if (answer?.trim() === name) return true;
  process.stdout.write("Nothing was changed.\n");
  return false;
}

/** Saves the agent, frozen first, so that nothing comes after the saved state. If saving fails, it is not removed. */
async function save(store: Store, before: AgentRecord, { output }: RemoveValues) {
  const { name, frozen } = before;
  const at = new Date().toISOString().replace(/[:.]/g, "-");
  const file = output ?? `${name.replace(/[^\p{L}\p{N}._-]+/gu, "-")}-${at}.checkpoint`;
  const progress = progressOn();
  await store.agents.freeze(name, "agent");
  try {
    const report = (rows: number) => progress.say(`saved ${counted(rows, "row")}`);
    const { rows, bytes, lost } = await store.checkpoint.save(file, { agent: name, progress: report });
    if (lost.length > 0)
      throw new Problem(
        "text-missing",
        `${counted(lost.length, "text")} of “${name}” could not be read, so it was not removed.`,
        "See what was changed with charter verify.",
      );
    return { file, rows, what: `${counted(rows, "row")}, ${sizeText(bytes)}` };
  } catch (error) {
    await (frozen === null ? store.agents.thaw(name) : store.agents.freeze(name, frozen));
    throw error;
  } finally {
    progress.end();
  }
}

function erasedText(erased: Readonly<Record<string, number>>): string {
  const rows = Object.entries(erased).map(([table, count]) => `${table} ${count}`);
  return rows.length === 0 ? "Nothing was left to erase." : `Erased: ${rows.join(", ")}. What its chains need stays.`;
}
