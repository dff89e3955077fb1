import { readFileSync } from "node:fs";
import { commandNamed, commands } from "../../operations/commands.ts";

/** Lists all commands under their headings, and what to try first. */
function overview(): string {
  const groups = Map.groupBy(Object.entries(commands), ([, { group }]) => group);
  const chapters = [...groups].map(([group, entries]) =>
    [group, ...entries.map(([name, { says }]) => `  ${name.padEnd(18)}${says}`)].join("\n"),
  );
  return ["charter: the system-prompt runtime for agents", ...chapters, tryThese].join("\n\n");
}

const tryThese = `Try:
  charter start
  charter chat
  charter chat --charter coder
  charter show --charter sovereign --table
  charter agents add ada --charter assistant
  charter amend --agent ada --user bo --section instructions --operation rewrite --content "Be brief." --actor user
  charter history --agent ada --user bo instructions

charter <command> --help explains a command. charter --version prints the version.`;

/** Prints the page of a command, or of two words with a page of their own; without a command, the overview. */
export async function printHelp(words: readonly string[]): Promise<number> {
  const [command, second] = words;
  if (command === undefined || command.startsWith("-")) {
    await print(overview());
    return 0;
  }
  await print(await declaredPage(command, second));
  return 0;
}

/** Page of a command, made from its operations; of one of them if its second word is given. */
async function declaredPage(name: string, second: string | undefined): Promise<string> {
  const command = commandNamed(name);
  const { operationsOf } = await import("../../operations/load.ts");
  const own = await operationsOf(command);
  const { commandHelp } = await import("../command/command-help.ts");
  const matches = own.filter((one) => one.command?.split(" ")[1]?.replace(/^\[|\]$/g, "") === second);
  const [one] = matches;
  return one && own.length > 1
    ? commandHelp(`${command} ${second}`, one.says, matches)
    : commandHelp(command, commands[command].says, own);
}

async function print(page: string): Promise<void> {
  const { isTTY, columns } = process.stdout;
  const narrow = isTTY && columns && page.split("\n").some((line) => line.length > columns);
  process.stdout.write(`${narrow ? (await import("../command/command-help.ts")).wrapHelp(page, columns) : page}\n`);
}

export function printVersion(): number {
  process.stdout.write(`${packageVersion()}\n`);
  return 0;
}

export function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return manifest.version;
}
