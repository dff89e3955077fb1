import { attachmentSettingsOf } from "../agent/attachments.ts";
import { serverName } from "../agent/mcp/mcp-entry.ts";
import { sessionSettingsOf } from "../agent/turn/live-session.ts";
import type { DeclaredTurn } from "../charters/declared-turn.ts";
import { type FactFields, factsOf, settingNames, unknownFacts } from "../charters/facts.ts";
import { entryNamed } from "../delivery/models/find-model.ts";
import type { ModelTable } from "../delivery/models/model-entry.ts";
import { providerNames, splitModelName } from "../delivery/receiver.ts";
import { isRecord } from "../prompt/argument.ts";
import { allSections, type Charter, sectionScope } from "../prompt/charter.ts";
import { lowerHeadings } from "../prompt/passage.ts";
import { forbiddenFor } from "../prompt/plan.ts";
import { listed, Problem, rethrowUnlessProblem } from "../prompt/problem.ts";
import type { Notice } from "../prompt/reading.ts";
import type { AgentRecord } from "../store/agents.ts";
import { amendableSections, isZone } from "../store/scope.ts";
import { checkServers } from "./agent-mcp.ts";
import { builtInCalled } from "./built-in.ts";
import type { LoadedCharter } from "./load.ts";
import { checkModelName, type ModelNameSources, modelFields, modelNames } from "./models/model-names.ts";
import { previewPrompt } from "./preview.ts";

type Settings = Readonly<Record<string, unknown>>;

/** Settings as they are to be stored, and notices for the person who gave them. */
type CheckedSettings = {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly notices: readonly Notice[];
};

/** Setup to check for an agent. */
export type AgentSetup = {
  readonly name: string;
  readonly charter: string;
  /** Models the agent is to have; null: the host's default. If left out, it keeps those it has. */
  readonly model?: string | readonly string[] | null | undefined;
  /** All settings, as they would be stored. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Settings given now: an unknown name in them is refused, while in those from before it only causes a notice. */
  readonly given: Readonly<Record<string, unknown>>;
  /** The agent as it is. Models it has already are not refused now: their faults are shown where they are used. */
  readonly before?: Pick<AgentRecord, "charter" | "settings" | "model" | "fallbacks"> | undefined;
};

/** Setup as it is to be stored, and notices for the person who gave it. It has models only if they were given. */
export type CheckedAgent = {
  readonly model?: string | null;
  readonly fallbacks?: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly notices: readonly Notice[];
};

/** Models and MCP servers that agents can have here. */
export type KnownHere = ModelNameSources & {
  readonly mcp: () => Promise<readonly string[]>;
  /** Reason why this list may be incomplete: unknown names then cause a notice and are not refused. */
  readonly unsure?: Problem | undefined;
};

/** Finder of an agent's charter, and the clock it is loaded with. */
type CharterFinding = {
  readonly charterOf: (agent: Pick<AgentRecord, "name" | "charter">) => Promise<LoadedCharter>;
  readonly clock: () => Date;
};

/** Refuses a setup that cannot work, at every door: unknown models, MCP servers or settings, or a prompt without text. */
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
  const reportUnsure = (error: unknown) => {
    if (!here?.unsure || !(error instanceof Problem)) throw error;
    const { code, message, hint } = here.unsure;
    notices.push({ code, message: `${error.message} That is not for sure: ${message} ${hint}` });
  };
  if (here) {
    await checkServers(given, here.mcp).catch(reportUnsure);
    for (const name of names) await checkModelName(name, here).catch(reportUnsure);
  }
  const checked = await checkAgentSettings(asked, here?.models, found);
  return {
    ...(model === undefined ? {} : modelFields(model)),
    settings: checked.settings,
    notices: [...notices, ...checked.notices],
  };
}

/** Checks that a charter understands the settings, and has text with them. */
async function checkAgentSettings(
  { name, charter, settings: asked, given, before }: AgentSetup,
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
  const had = before?.charter === charter ? await declare(before.settings).catch(() => undefined) : undefined;
  const rescoped = had === undefined ? [] : rescopedTexts(had.charter, declared.charter);
  return { settings, notices: [...declared.notices, ...moved, ...rescoped, ...unknownAdviser(settings, models)] };
}

/** Tells of texts that were all users' and are each user's own with other settings, or the reverse: none is moved. */
function rescopedTexts(before: Charter, after: Charter): Notice[] {
  const had = new Map(
    amendableSections(before).map(({ section, layer }) => [section.name, sectionScope(section, layer)]),
  );
  return amendableSections(after).flatMap(({ section, layer }): Notice[] => {
    const { name } = section;
    const now = sectionScope(section, layer);
    if ((had.get(name) ?? now) === now) return [];
    const message =
      now === "user"
        ? `“${name}” was one text for all users and is each user's own now: each begins with its original, and what all read is sent to nobody.`
        : `“${name}” was each user's own and is one text for all users now: it begins with its original, and theirs are sent to nobody.`;
    return [{ code: "scope-changed", section: name, message: `${message} Set the scope that it had to undo this.` }];
  });
}

/** Refuses names that no charter reads: they would have no effect, and their author would not know. */
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
 * Lowers headings in settings that are as high as the section's own: they would be escaped in the prompt, and their passages
 * could not be amended. A setting counts as a section's text if it is the section's original.
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

/** Returns true if settings contain a text, at any depth. */
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

/** Refuses a setup whose prompt would be empty, since it would say nothing about who the agent is. */
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
  // Files and relays may add text when they are read; the user's own sources are read in turns only.
  const fromElsewhere = declared.memory !== undefined || (declared.needs ?? []).length > 0;
  if (fromElsewhere || (!builtInCalled(charter) && sections.some(({ sources }) => sources !== undefined))) return true;
  return (await previewPrompt(declared, {})).text.trim() !== "";
}

/** Checks the owner's key now, so that a mistyped one is not first noticed when the core memory is read. */
async function checkOwner(owner: string): Promise<void> {
  const [{ loadNostr }, { readPublicKey }] = await Promise.all([
    import("../sources/core-memory/memory-key.ts"),
    import("../sources/core-memory/key-source.ts"),
  ]);
  const nostr = await loadNostr();
  try {
    readPublicKey(nostr, owner);
  } catch (error) {
    rethrowUnlessProblem(error);
    const message = "The fact “memory.owner” is no public key: a character of it is wrong.";
    throw new Problem("bad-facts", message, error.hint);
  }
}

/** Notice about an unknown model for second opinions. It is not refused, since the host may know models of its own. */
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

/** Fields among facts that only the store may set: current texts, their revisions and the identity. */
export function standingFields(facts: object): string[] {
  return ["standing", "revisions", "identity"].filter((name) => Object.hasOwn(facts, name));
}

/** Checks the form of an agent's settings. They are originals and facts; current texts change by amendments only. */
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
  // Unknown names are reported together with all others of the charter's settings.
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

/** Path of a secret key among settings, without the key itself. */
function secretIn(value: unknown, path: string): string | undefined {
  if (typeof value === "string") return nsec.test(value) ? path : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, one] of Object.entries(value)) {
    if (nsec.test(name)) return path;
    const secret = secretIn(one, path === "" ? name : `${path}.${name}`);
    if (secret !== undefined) return secret;
  }
  return undefined;
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "" && value.trim() === value && value.length <= 200;
}

/** Merges new settings into the old ones: objects field by field, anything else as a whole; null removes. */
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
