import { Problem } from "../../../prompt/problem.ts";
import { coreSlug } from "../../../sources/core-memory/slug.ts";
import { readText } from "../../../sources/input-file.ts";
import { agentWithCore } from "../../shared/agent-core.ts";
import { noMoreWords, parseOptions } from "../../shared/options.ts";
import { proposeOptions } from "../../shared/propose-options.ts";
import { withStore } from "../../shared/store.ts";
import { proposeFromOptions } from "../change/propose.ts";

const { section: _, ...proposing } = proposeOptions;
const options = { ...proposing, content: { type: "string" }, "content-file": { type: "string" } } as const;

type Values = ReturnType<typeof parseOptions<typeof options>>["values"];

/** A rewrite of the section, like any other: guards check it, it is in the history, and is published from there. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("core", args, options);
  const [words, ...others] = positionals;
  noMoreWords("core", others);
  const content = contentOf(words, values);
  const { name: agent } = await withStore(values, (store) => agentWithCore(store, values.agent));
  return proposeFromOptions("core set", { ...values, agent }, coreSlug, { kind: "rewrite", content });
}

function contentOf(words: string | undefined, { content, "content-file": file, input }: Values): string {
  const given = [words, content, file].filter((one) => one !== undefined).length;
  if (given !== 1)
    throw new Problem(
      "usage",
      given === 0 ? "charter core set needs the new text." : "The new text was given more than once.",
      "Give it in quotes, with --content, or with --content-file (- is standard input).",
    );
  if (file === "-" && input === "-")
    throw new Problem("usage", "Facts and text cannot both come from standard input.", "Put one of them in a file.");
  return file === undefined ? ((words ?? content) as string) : readText(file, "content file");
}
