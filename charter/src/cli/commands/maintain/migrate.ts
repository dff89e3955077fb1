import { counted } from "../../../prompt/problem.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";
import { homeOf } from "../../shared/store.ts";

export async function run({ database, input, json }: ParsedCommand): Promise<number> {
  const { rebuild = false } = input as { readonly rebuild?: boolean };
  const home = await homeOf({ database }, true);
  try {
    const { versionOf } = await import("../../../store/schema.ts");
    const version = await home.version();
    const known = versionOf(home.schema);
    const { from, to } = version === known ? { from: version, to: version } : await home.migrate();
    const { rebuildStore } = await import("../../../store/lifecycle/restore.ts");
    const rebuilt = rebuild ? await rebuildStore(home) : undefined;
    const told =
      from === 0
        ? `${home.place} is ready, with schema ${to}.`
        : from === to
          ? `${home.place} already has schema ${to}.`
          : `${home.place} was brought from schema ${from} to ${to}.`;
    const also = rebuilt
      ? ` What ${counted(rebuilt.notes, "note")} and ${counted(rebuilt.turns, "turn")} are searched and listed by was made anew.`
      : "";
    process.stdout.write(
      `${json ? JSON.stringify({ database: home.place, from, to, ...rebuilt }) : `${told}${also}`}\n`,
    );
    return 0;
  } finally {
    await home.close();
  }
}
