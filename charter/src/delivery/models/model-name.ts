import { listed, Problem } from "../../prompt/problem.ts";
import { splitModelName } from "../providers.ts";
import type { ModelTable } from "./table/model-entry.ts";

/** That a name is no model's, and what may have been meant by it. */
export function unknownModel(name: string, providers: readonly string[], models: ModelTable = {}): Problem {
  const { provider, model } = splitModelName(name);
  if (provider === "acp")
    return new Problem(
      "unknown-model",
      `“${name}” is an agent over ACP, and loadModel knows no command for it.`,
      "Describe it in `acp` of charter.config.ts or of createHost; in a program of your own, load it with createAcpModels of charter/host.",
    );
  const message = providers.includes(provider)
    ? `“${name}” names no model of “${provider}”.`
    : model === ""
      ? `“${name}” does not say which provider it is of.`
      : `There is no provider “${provider}” for the model “${name}”.`;
  const meant = families.find(([family]) => family.test(name))?.[1];
  const names = listed([...providers, "stand-in"]);
  const own = Object.keys(models);
  const or = own.length === 0 ? "" : ` Those of your own are ${listed(own)}.`;
  return new Problem(
    "unknown-model",
    message,
    meant ? `Name it “${meant}/${name}”.` : `Name it as provider/model, with one of the providers ${names}.${or}`,
  );
}

/** Whose a model probably is that is named without its provider. */
const families: readonly (readonly [RegExp, string])[] = [
  [/^claude-[^/]*$/, "anthropic"],
  [/^(?:gpt-|o\d)[^/]*$/, "openai"],
  [/^gemini-[^/]*$/, "google"],
];
