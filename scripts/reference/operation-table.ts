import { optionsOf } from "../../charter/src/cli/command/command-help.ts";
import { optionName } from "../../charter/src/cli/command/parse-command.ts";
import { type Operation, shownCommand } from "../../charter/src/operations/operation.ts";
import { allOperations } from "../../charter/src/operations/operations.ts";
import { withTable } from "./table.ts";

const from = "charter/src/operations";
const operations: readonly Operation[] = allOperations;

/** docs/http.md with its table of all routes, made from the operations. */
export function withRoutes(page: string): string {
  const rows = operations.flatMap(({ route, who, says }) => {
    if (route === undefined) return [];
    return [`| \`${route.replace(" ", " /api")}\` | ${who} | ${says} |`];
  });
  return withTable(page, from, ["| route | who may | |", "|---|---|---|", ...rows]);
}

/** docs/cli.md with its table of all commands. */
export function withCommands(page: string): string {
  const rows = operations.flatMap((one) => {
    if (one.command === undefined) return [];
    const options = optionsOf(one).map(([name]) => `--${optionName(name)}`);
    const typed = options.length === 0 ? "" : `\`${options.join(" ")}\``;
    return [`| \`charter ${shownCommand(one.command)}\` | ${one.says} | ${typed} |`];
  });
  return withTable(page, from, ["| command | | options |", "|---|---|---|", ...rows]);
}
