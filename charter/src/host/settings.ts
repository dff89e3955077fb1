import { attachmentSettingsOf } from "../agent/attachments.ts";
import { serverName } from "../agent/mcp/mcp-entry.ts";
import { sessionSettingsOf } from "../agent/turn/live-session.ts";
import { isRecord } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import { isZone } from "../store/scope.ts";

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

type Settings = Readonly<Record<string, unknown>>;

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
