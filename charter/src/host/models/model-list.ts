import { splitModelName } from "../../delivery/receiver.ts";
import { Problem } from "../../prompt/problem.ts";

/** The names of models, first the one that is asked first: as a list, or in one text with commas between them. */
type ModelNames = string | readonly string[];

/** The names of a list, each once. An agent over ACP can only be the first: it could not take over within a turn. */
export function modelNames(given: ModelNames | null | undefined): readonly string[] {
  const all = typeof given === "string" ? given.split(",") : (given ?? []);
  const names = all.map((name) => name.trim()).filter((name) => name !== "");
  const again = names.find((name, index) => names.indexOf(name) !== index);
  if (again !== undefined) throw new Problem("bad-model", `“${again}” is named twice.`, "Name each model once.");
  const late = names.slice(1).find((name) => splitModelName(name).provider === "acp");
  if (late === undefined) return names;
  throw new Problem(
    "bad-model",
    `“${late}” is an agent over ACP, and comes after another model.`,
    "Put it first: it keeps the conversation itself, and cannot take over in the midst of a turn.",
  );
}

/** The same, as an agent is set up with them. */
export function modelFields(given: ModelNames | null): { readonly model: string | null; readonly fallbacks: string[] } {
  const [model = null, ...fallbacks] = modelNames(given);
  return { model, fallbacks };
}

export function areModelNames(value: unknown): boolean {
  const list = typeof value === "string" ? [value] : value;
  return Array.isArray(list) && list.length > 0 && list.every((name) => typeof name === "string" && name.trim() !== "");
}
