import type { ErrorBody } from "charter/answers";
import type { SettingField } from "./setting-field.ts";

/** The field that a refusal is about: one of the form's own, or a setting by its path. Undefined: none that is shown. */
export function problemField(
  { code, message }: Pick<ErrorBody["error"], "code" | "message">,
  fields: readonly SettingField[],
): string | undefined {
  const own = ofCodes.find(([codes]) => codes.includes(code))?.[1];
  if (own !== undefined) return own;
  const named = [...message.matchAll(/“([^”]+)”/g)].map(([, name]) => name as string);
  const keys = fields.map(({ path }) => path.join("."));
  for (const name of named) {
    const found =
      keys.find((key) => key === name) ?? keys.find((key) => key.startsWith(`${name}.`) || name.startsWith(`${key}[`));
    if (found !== undefined) return found;
  }
  return undefined;
}

const ofCodes: readonly (readonly [codes: readonly string[], field: string])[] = [
  [["bad-name", "agent-exists", "agent-removed"], "name"],
  [["bad-label"], "label"],
  [["unknown-model", "bad-model"], "models"],
  [["unknown-charter", "not-allowed"], "charter"],
];
