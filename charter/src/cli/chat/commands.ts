import type { Screen } from "../terminal/screen.ts";
import { helpLines, type SlashCommand } from "../terminal/slash-command.ts";
import { approvalCommands } from "./approval-commands.ts";
import { costCommand } from "./cost-command.ts";
import { fileCommand } from "./file-command.ts";
import { modelCommand } from "./model-command.ts";
import { promptCommand } from "./prompt-command.ts";
import { sessionCommands } from "./session-commands.ts";
import type { Talk } from "./talk.ts";
import { undoCommand } from "./undo-command.ts";
import { whyCommand } from "./why-command.ts";
import { workbenchCommands } from "./workbench-commands.ts";

/** Everything a conversation understands that is not said to the agent. */
export function chatCommands(talk: Talk, screen: Screen): readonly SlashCommand[] {
  const commands: SlashCommand[] = [
    { name: "help", summary: "this list", run: async () => helpLines(commands) },
    promptCommand(talk, screen),
    whyCommand(talk, screen),
    costCommand(talk, screen),
    fileCommand(talk.attachments),
    undoCommand(talk),
    ...approvalCommands(talk, screen),
    ...(talk.coding ? workbenchCommands(talk.coding, screen) : []),
    ...sessionCommands(talk, screen),
    modelCommand(talk, screen),
    { name: "quit", summary: "leave; so does Ctrl-D", run: async () => "leave" },
  ];
  return commands;
}
