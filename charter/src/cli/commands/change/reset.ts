import { parseOptions, sectionOption } from "../../shared/options.ts";
import { proposeOptions } from "../../shared/propose-options.ts";
import { proposeFromOptions } from "./propose.ts";

/** The words a section was born with come back, as an amendment like any other. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("reset", args, proposeOptions);
  return proposeFromOptions("reset", values, sectionOption("reset", values.section, positionals), { kind: "reset" });
}
