import { isKeyName } from "../../charters/resident/memory-settings.ts";
import { isRecord } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";

const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  file: isText,
  env: (value) => isText(value) && /^[a-z_][a-z0-9_]*$/i.test(value),
  command: (value) => Array.isArray(value) && value.length > 0 && value.every(isText),
};

/** The setting `keys`: where each key is. Whatever is wrong with it is named, and never repeated: it may be a key. */
export function checkKeys(keys: unknown, path: string): void {
  if (!isRecord(keys)) throw bad(`The setting “keys” in ${path} is no object.`);
  for (const [name, where] of Object.entries(keys)) {
    if (!isKeyName(name))
      throw bad(`A name in the setting “keys” in ${path} is no name of a key: 1 to 40 letters, digits, “-”, “_”, “.”.`);
    const [kind = "", ...others] = isRecord(where) ? Object.keys(where) : [];
    const isSound = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
    if (others.length > 0 || !isSound?.((where as Record<string, unknown>)[kind]))
      throw bad(`The setting “keys.${name}” in ${path} does not say where the key is.`);
  }
}

function bad(message: string): Problem {
  const hint =
    'As in keys: { ada: { file: "ada.key" } }, or { env: "ADA_NOSTR_KEY" }, or { command: ["pass", "show", "ada"] }; never the key itself: docs/resident.md#keys.';
  return new Problem("bad-config", message, hint);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && !/nsec1/i.test(value);
}
