import { Problem } from "../../../prompt/problem.ts";
import { parseOptions, requiredOption } from "../../shared/options.ts";
import { storeOptions } from "../../shared/store.ts";

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("import", args, {
    ...storeOptions,
    from: { type: "string" },
    agent: { type: "string", short: "a", multiple: true },
    report: { type: "string" },
    "dry-run": { type: "boolean" },
  });
  const hint = "Say charter import supabase --from postgres://…; see charter import --help.";
  const [source, ...more] = positionals;
  if (source !== "supabase" || more.length > 0)
    throw new Problem(
      "usage",
      source === undefined
        ? "charter import needs a source."
        : `charter import does not understand “${[source, ...more].join(" ")}”.`,
      hint,
    );
  const from = requiredOption("import", "from", values.from);
  const { importSupabase } = await import("./import-supabase.ts");
  const { printReport } = await import("./import-report.ts");
  const asked = { from, agents: values.agent ?? [], dryRun: values["dry-run"] ?? false, database: values.database };
  return printReport(await importSupabase(asked), values);
}
