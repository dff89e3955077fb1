import { attachmentSettingsOf } from "../agent/attachments.ts";
import { serverName } from "../agent/mcp/mcp-entry.ts";
import { sessionSettingsOf } from "../agent/turn/live-session.ts";
import type { DeclaredTurn } from "../charters/declared-turn.ts";
import { type FactFields, factsOf, settingNames, unknownFacts } from "../charters/facts.ts";
import { entryNamed } from "../delivery/models/find-model.ts";
import type { ModelTable } from "../delivery/models/model-entry.ts";
import { providerNames, splitModelName } from "../delivery/receiver.ts";
import { isRecord } from "../prompt/argument.ts";
import { allSections, type Charter } from "../prompt/charter.ts";
import { lowerHeadings } from "../prompt/passage.ts";
import { forbiddenFor } from "../prompt/plan.ts";
import { listed, Problem } from "../prompt/problem.ts";
import type { Notice } from "../prompt/reading.ts";
import type { AgentRecord } from "../store/agents.ts";
import { isZone } from "../store/scope.ts";
import { checkServers } from "./agent-mcp.ts";
import { builtInCalled } from "./built-in.ts";
import type { LoadedCharter } from "./load.ts";
import { checkModelName, type ModelNameSources, modelFields, modelNames } from "./models/model-names.ts";
import { previewPrompt } from "./preview.ts";

type Settings = Readonly<Record<string, unknown>>;

/** An agent's settings as they are to be kept, and what whoever gives them should know. */
type CheckedSettings = {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly notices: readonly Notice[];
};

/** What an agent is to be set up with. */
export type AgentSetup = {
  readonly name: string;
  readonly charter: string;
  /** The models it is to have; null: the usual ones. Left out, those it has. */
  readonly model?: string | readonly string[] | null | undefined;
  /** All settings, as they would be. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Those that are given now: a name in them that nobody reads is refused. In others it is told. */
  readonly given: Readonly<Record<string, unknown>>;
  /** The agent as it is. A model that it has is not refused now: what is wrong with it is told where it is used. */
  readonly before?: Pick<AgentRecord, "model" | "fallbacks"> | undefined;
};

/** What an agent is to be kept with, and what whoever sets it up should know. Models are in it where they were given. */
export type CheckedAgent = {
  readonly model?: string | null;
  readonly fallbacks?: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly notices: readonly Notice[];
};

/** What there is for agents here. */
export type KnownHere = ModelNameSources & {
  readonly mcp: () => Promise<readonly string[]>;
  /** Why that is not known for sure: what is not found is told then, and not refused. */
  readonly unsure?: Problem | undefined;
};

/** How an agent's charter is found, and the time it is told. */
type CharterFinding = {
  readonly charterOf: (agent: Pick<AgentRecord, "name" | "charter">) => Promise<LoadedCharter>;
  readonly clock: () => Date;
};

/** Refuses what an agent cannot be given, whoever sets it up: models, MCP servers, settings, a prompt without words. */
export async function checkAgent(
  asked: AgentSetup,
  { known, ...found }: CharterFinding & { readonly known: () => Promise<KnownHere> },
): Promise<CheckedAgent> {
  const { given, model, before } = asked;
  const had = [before?.model, ...(before?.fallbacks ?? [])];
  const names = modelNames(model).filter((name) => !had.includes(name));
  const notices: Notice[] = [];
  const isNamed = names.length > 0 || given.mcp !== undefined || asked.settings.secondOpinion !== undefined;
  const here = isNamed ? await known() : undefined;
  const told = (error: unknown) => {
    if (!here?.unsure || !(error instanceof Problem)) throw error;
    const { code, message, hint } = here.unsure;
    notices.push({ code, message: `${error.message} That is not for sure: ${message} ${hint}` });
  };
  if (here) {
    await checkServers(given, here.mcp).catch(told);
    for (const name of names) await checkModelName(name, here).catch(told);
  }
  const checked = await checkAgentSettings(asked, here?.models, found);
  return {
    ...(model === undefined ? {} : modelFields(model)),
    settings: checked.settings,
    notices: [...notices, ...checked.notices],
  };
}

/** Whether a charter understands an agent's settings, and has any words with them. */
async function checkAgentSettings(
  { name, charter, settings: asked, given }: AgentSetup,
  models: ModelTable | undefined,
  { charterOf, clock }: CharterFinding,
): Promise<CheckedSettings> {
  checkSettings(asked);
  const loaded = await charterOf({ name, charter });
  checkKnown(charter, loaded.facts, given);
  const declare = (settings: object) => loaded.given(factsOf({ ...settings, agent: name }), clock);
  const { settings, notices: moved } = lowered(asked, (await declare(asked)).charter);
  const declared = await declare(settings);
  if (declared.memory) await checkOwner(declared.memory.owner);
  await checkWords(name, charter, declared);
  return { settings, notices: [...declared.notices, ...moved, ...unknownAdviser(settings, models)] };
}

/** A name that nobody reads does nothing, and whoever wrote it does not know. */
function checkKnown(charter: string, own: FactFields | undefined, given: Settings): void {
  const unknown = unknownFacts(own, factsOf(given));
  if (unknown.length === 0) return;
  const meant = unknown.flatMap((one) => (one.meant === undefined ? [] : [`“${one.meant}”`]));
  const hint =
    meant.length > 0
      ? `Did you mean ${meant.join(" and ")}? docs/facts.md lists what each charter is told.`
      : `At the top it reads ${listed(settingNames(own))}. docs/facts.md says more.`;
  const paths = listed(unknown.map(({ path }) => path));
  throw new Problem("bad-settings", `The charter ${charter} does not read ${paths}.`, hint);
}

/**
 * Headings as high as the section's own would be escaped, and no part of them could be amended. A setting is the first
 * text of a section where it is that text.
 */
function lowered(settings: Settings, charter: Charter): CheckedSettings {
  const notices: Notice[] = [];
  const texts = new Map<string, string>();
  for (const { section } of allSections(charter)) {
    const { name, original = "" } = section;
    const { text, lowered: count } = lowerHeadings(original, forbiddenFor(charter, name).level);
    if (count === 0 || !holds(settings, original)) continue;
    texts.set(original, text);
    notices.push(headingsLowered(name, count));
  }
  return { settings: notices.length === 0 ? settings : (replaced(settings, texts) as Settings), notices };
}

/** Whether a text stands in settings, wherever in them. */
export function holds(value: unknown, text: string): boolean {
  return value === text || (isRecord(value) && Object.values(value).some((one) => holds(one, text)));
}

function replaced(value: unknown, texts: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return texts.get(value) ?? value;
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(one, texts)]));
}

function headingsLowered(section: string, count: number): Notice {
  const what = count === 1 ? "The heading" : `The ${count} headings`;
  const message = `${what} in “${section}” was as high as the section's own, and ${count === 1 ? "was" : "were"} lowered below it.`;
  return { code: "headings-lowered", section, message };
}

/** Without a word in it, a prompt says nothing about who the agent is. */
async function checkWords(name: string, charter: string, declared: DeclaredTurn): Promise<void> {
  if (await hasWords(charter, declared)) return;
  throw new Problem(
    "no-prompt",
    `“${name}” would have no prompt: with these settings no section of its charter, ${charter}, has any words.`,
    "Give it the words it begins with: docs/facts.md says which settings of its charter hold them.",
  );
}

async function hasWords(charter: string, declared: DeclaredTurn): Promise<boolean> {
  const sections = allSections(declared.charter).map(({ section }) => section);
  // What files and relays hold is seen when they are read; sources of the user's own are asked in turns only.
  const fromElsewhere = declared.memory !== undefined || (declared.needs ?? []).length > 0;
  if (fromElsewhere || (!builtInCalled(charter) && sections.some(({ sources }) => sources !== undefined))) return true;
  return (await previewPrompt(declared, {})).text.trim() !== "";
}

/** An owner's key with a wrong character is found now, and not when the core memory is first read. */
async function checkOwner(owner: string): Promise<void> {
  const [{ loadNostr }, { readPublicKey }] = await Promise.all([
    import("../sources/core-memory/memory-key.ts"),
    import("../sources/core-memory/key-source.ts"),
  ]);
  const nostr = await loadNostr();
  try {
    readPublicKey(nostr, owner);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const message = "The fact “memory.owner” is no public key: a character of it is wrong.";
    throw new Problem("bad-facts", message, error.hint);
  }
}

/** A host may know models of its own, so a name we do not know is told and not refused. */
function unknownAdviser(
  { secondOpinion: name }: { readonly secondOpinion?: unknown },
  models: ModelTable | undefined,
): Notice[] {
  if (typeof name !== "string" || entryNamed(name, models) !== undefined) return [];
  const { provider, model } = splitModelName(name);
  if (provider === "stand-in" || (model !== "" && providerNames.includes(provider))) return [];
  const message = `“${name}”, which is to give second opinions, names no provider we know. While it cannot be asked, what the agent and its users propose waits for a person.`;
  return [{ code: "unknown-model", message }];
}

/** Words that stand are the store's alone: nobody else's are put in their place. */
export function standingFields(facts: object): string[] {
  return ["standing", "revisions", "identity"].filter((name) => Object.hasOwn(facts, name));
}

/** Settings an agent is given are originals and facts; words that stand come by amendments only. */
export function checkSettings(settings: unknown): Readonly<Record<string, unknown>> {
  if (typeof settings !== "object" || settings === null || Array.isArray(settings))
    throw new Problem(
      "bad-settings",
      "An agent's settings are a JSON object.",
      "See docs/facts.md for what it may say.",
    );
  const standing = standingFields(settings);
  if (standing.length > 0)
    throw new Problem(
      "bad-settings",
      `The settings contain “${standing.join("”, “")}”: current texts are changed by amendments, not by settings.`,
      standing.includes("identity")
        ? 'Give what it begins with as "original": { "identity": { "name", "vibe", "description" } }, or use `charter amend`.'
        : 'Give the original text of a section as "original", or use `charter amend`.',
    );
  const { secondOpinion } = settings as Record<string, unknown>;
  if (secondOpinion !== undefined && secondOpinion !== null && !isName(secondOpinion))
    throw new Problem(
      "bad-settings",
      `The setting “secondOpinion” is ${JSON.stringify(secondOpinion)}, which is no model's name.`,
      "Name a model as provider/model, or leave the setting out to ask nobody.",
    );
  const { zone } = settings as Record<string, unknown>;
  if (typeof zone === "string" && !isZone(zone))
    throw new Problem(
      "bad-settings",
      `The setting “zone” is ${JSON.stringify(zone)}, which is no time zone.`,
      "Give one like Europe/Rome or UTC, or leave the setting out.",
    );
  const { sessions } = settings as Record<string, unknown>;
  // Names it does not read are told with all others of the charter's settings.
  const read = isRecord(sessions) ? { idleHours: sessions.idleHours, across: sessions.across } : sessions;
  sessionSettingsOf(read, "The settings", "bad-settings");
  attachmentSettingsOf((settings as Record<string, unknown>).attachments, "The settings", "bad-settings");
  const { mcp } = settings as Record<string, unknown>;
  const isNames = Array.isArray(mcp) && mcp.every((name) => typeof name === "string" && serverName.test(name));
  if (mcp !== undefined && mcp !== null && !isNames)
    throw new Problem(
      "bad-settings",
      "The setting “mcp” is no list of names of MCP servers.",
      'Give names alone, as in ["files"]: how a server is reached is set in charter.config.ts. See docs/mcp.md.',
    );
  const secret = secretIn(settings, "");
  if (secret !== undefined)
    throw new Problem(
      "bad-settings",
      `The settings contain a secret Nostr key${secret === "" ? "" : `, in “${secret}”`}: settings are shown, and are part of checkpoints.`,
      "Keep the key where charter.config.ts says, and give its name: docs/resident.md#keys.",
    );
  return settings as Record<string, unknown>;
}

const nsec = /nsec1[02-9ac-hj-np-z]{58}/i;

/** Where a secret key stands among settings, without the key. */
function secretIn(value: unknown, path: string): string | undefined {
  if (typeof value === "string") return nsec.test(value) ? path : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, one] of Object.entries(value)) {
    if (nsec.test(name)) return path;
    const found = secretIn(one, path === "" ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "" && value.trim() === value && value.length <= 200;
}

/** What is given over what there is: fields of an object one by one, anything else as a whole; null removes. */
export function mergeSettings(before: Settings, given: Settings): Settings {
  return merged(before, given, (one, other) => (isRecord(one) && isRecord(other) ? merged(one, other) : other));
}

function merged(
  before: Settings,
  given: Settings,
  join: (one: unknown, other: unknown) => unknown = (_, other) => other,
): Settings {
  const both = new Map(Object.entries(before));
  for (const [name, value] of Object.entries(given)) {
    if (value === null) both.delete(name);
    else both.set(name, both.has(name) ? join(both.get(name), value) : join({}, value));
  }
  return Object.fromEntries(both);
}
