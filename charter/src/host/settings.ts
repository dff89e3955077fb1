import { sessionSettingsOf } from "../agent/turn/session/session-settings.ts";
import { factsOf } from "../charters/facts.ts";
import { providerNames, splitModelName } from "../delivery/providers.ts";
import type { Notice } from "../prompt/notice.ts";
import { Problem } from "../prompt/problem.ts";
import { loadCharter } from "./load.ts";

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
      'Give the original text of a section as "original", or use `charter amend`.',
    );
  const { secondOpinion } = settings as Record<string, unknown>;
  if (secondOpinion !== undefined && secondOpinion !== null && !isName(secondOpinion))
    throw new Problem(
      "bad-settings",
      `The setting “secondOpinion” is ${JSON.stringify(secondOpinion)}, which is no model's name.`,
      "Name a model as provider/model, or leave the setting out to ask nobody.",
    );
  sessionSettingsOf((settings as Record<string, unknown>).sessions, "The settings", "bad-settings");
  const secret = secretIn(settings, "");
  if (secret !== undefined)
    throw new Problem(
      "bad-settings",
      `The settings hold a secret key of Nostr${secret === "" ? "" : `, in “${secret}”`}: they are shown, and stand in checkpoints.`,
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

/** Whether a charter understands an agent's settings; what it will not read comes back as notices. */
export async function checkAgentSettings(
  { name, charter, settings }: { readonly name: string; readonly charter: string; readonly settings: object },
  clock: () => Date,
): Promise<readonly Notice[]> {
  const facts = factsOf({ ...settings, agent: name });
  const { notices, memory } = await (await loadCharter(charter)).given(facts, clock);
  if (memory) await checkOwner(memory.owner);
  return [...notices, ...unknownAdviser(settings)];
}

/** An owner's key with a wrong character is found now, and not when the core memory is first read. */
async function checkOwner(owner: string): Promise<void> {
  const [{ loadNostr }, { readPublicKey }] = await Promise.all([
    import("../sources/core-memory/nostr.ts"),
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
function unknownAdviser({ secondOpinion: name }: { readonly secondOpinion?: unknown }): Notice[] {
  if (typeof name !== "string") return [];
  const { provider, model } = splitModelName(name);
  if (provider === "stand-in" || (model !== "" && providerNames.includes(provider))) return [];
  const message = `“${name}”, which is to give second opinions, names no provider we know. While it cannot be asked, what the agent and its users propose waits for a person.`;
  return [{ code: "unknown-model", message }];
}
