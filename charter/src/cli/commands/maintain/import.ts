import type { ImportInput } from "../../../operations/here/maintain.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";

export async function run({ input, database, json }: ParsedCommand): Promise<number> {
  const { from, agent: agents = [], dryRun = false, report } = input as ImportInput;
  const { importSupabase } = await import("./import-supabase.ts");
  const { printReport } = await import("./import-report.ts");
  return printReport(await importSupabase({ from, agents, dryRun, database }), { report, json });
}
