import type { Workbench } from "../../host/workbench.ts";
import { oneLine } from "../../operations/print/columns.ts";
import { diagnosticLines } from "../../operations/print/diagnostic.ts";
import { wrapText } from "../../operations/print/wrap.ts";
import { counted } from "../../prompt/problem.ts";
import type { AskQuestion } from "../terminal/lines.ts";
import type { Screen } from "../terminal/screen.ts";
import type { SlashCommand } from "../terminal/slash-command.ts";
import type { CodingSetup } from "./coding.ts";
import { output } from "./output.ts";

/** Files are looked at each turn anyway; extensions, and what they add, only now. */
export function workbenchCommands({ place: { workbench }, askForTrust }: CodingSetup, screen: Screen): SlashCommand[] {
  const fitted = (lines: readonly string[]) => lines.flatMap((line) => wrapText(line, screen.width));
  const below = (ask: AskQuestion) => (lines: readonly string[], question: string) => {
    screen.note(lines);
    return ask(question);
  };
  return [
    {
      name: "reload",
      summary: "read files, skills and extensions again",
      run: async (_words, ask) => {
        const untrusted = await askForTrust(ask && below(ask));
        await workbench.reload();
        const hints = untrusted.map((hint) => `${screen.paint.yellow("! untrusted")}: ${oneLine(hint)}`);
        return fitted([...(await workbenchLines(workbench)), ...hints, ...faultLines(workbench, screen)]);
      },
    },
    {
      name: "files",
      summary: "list the files in the prompt",
      run: async () => [
        ...workbench
          .considered()
          .flatMap(({ used, role, path }) => (used ? [`  ${role.padEnd(9)} ${oneLine(path)}`] : [])),
        ...fitted(diagnosticLines(workbench.project.look().diagnostics, output(screen))),
      ],
    },
  ];
}

/** What it has to work with, in one breath. */
export async function workbenchLines(workbench: Workbench): Promise<string[]> {
  const tools = (await workbench.lines()).map(({ name }) => name);
  const used = workbench.considered().filter((one) => one.used);
  const count = (role: string) => used.filter((one) => one.role === role).length;
  const parts = [
    count("system") > 0 ? "its own SYSTEM.md" : "the usual base",
    ...(count("append") > 0 ? ["APPEND_SYSTEM.md"] : []),
    counted(count("context"), "context file"),
    counted(count("skill"), "skill"),
    counted(count("extension"), "extension"),
  ];
  return [`Tools: ${tools.length === 0 ? "none" : tools.join(", ")}. Made of ${parts.join(", ")}.`];
}

export function faultLines(workbench: Workbench, { paint }: Screen): string[] {
  return workbench.faults().map(({ code, message }) => `${paint.yellow(`! ${code}`)}: ${oneLine(message)}`);
}
