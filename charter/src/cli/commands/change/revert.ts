import { parseOptions, requiredOption, sectionOption, wholeNumber } from "../../shared/options.ts";
import { proposeOptions } from "../../shared/propose-options.ts";
import { proposeFromOptions } from "./propose.ts";

/** An earlier revision's words come back, as an amendment like any other. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("revert", args, { ...proposeOptions, to: { type: "string" } });
  const section = sectionOption("revert", values.section, positionals);
  const to = wholeNumber("to", requiredOption("revert", "to", values.to)) as number;
  return proposeFromOptions("revert", values, section, { kind: "revert", to });
}
