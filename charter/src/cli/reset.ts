import { parseOptions, sectionOption } from "./options.ts";
import { propose } from "./propose.ts";
import { proposeOptions } from "./propose-options.ts";

/** The words a section was born with come back, as an amendment like any other. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("reset", args, proposeOptions);
  return propose("reset", values, sectionOption("reset", values.section, positionals), { kind: "reset" });
}
