import { readFileSync } from "node:fs";
import { join } from "node:path";
import { settings } from "../../charter/src/server/config.ts";
import type { SettingTable } from "../../charter/src/server/setting.ts";
import { withTable } from "./table.ts";

/** A page with the table of settings written anew. */
export function withSettings(page: string): string {
  return withTable(page, "charter/src/server/config.ts", settingRows());
}

function settingRows(): string[] {
  const source = readFileSync(join(import.meta.dirname, "../../charter/src/server/config.ts"), "utf8");
  const comments = new Map(
    [...source.matchAll(/^ {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2}(\w+): \{/gm)].map(([, comment = "", name = ""]) => [
      name,
      comment.replaceAll(/\s*\n\s*\* ?/g, " ").trim(),
    ]),
  );
  const rows = Object.entries(settings as SettingTable).map(([name, { env, option, holds }]) => {
    const comment = comments.get(name);
    if (comment === undefined) throw new Error(`The setting “${name}” has no doc comment.`);
    const variables = typeof env === "object" ? Object.values(env.fields) : env === undefined ? [] : [env];
    const written = variables.map((variable) => `\`${variable}\``).join(", ");
    return `| \`${name}\` | ${written} | ${option ? `\`--${name}\`` : ""} | ${holds} | ${comment} |`;
  });
  return ["| setting | environment | option | holds for | meaning |", "|---|---|---|---|---|", ...rows];
}
