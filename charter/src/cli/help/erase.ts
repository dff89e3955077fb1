import { databaseHelp } from "./prompt-options.ts";

export const help = `charter erase: one user's data, gone

  charter erase --user bo                            says what would go, and changes nothing (exit code 1)
  charter erase --user bo --yes
  charter erase --user bo --agent ada --yes          only what ada knows

  -u, --user <id>            whose
  -a, --agent <name>         with this agent only
      --yes                  really
${databaseHelp}
      --json                 one JSON document, for scripts

Their words are gone, also from the free pages and the log of a SQLite file. The chains stay and still verify: that
something was amended or sent then, by whom, and when it was erased. Their next prompt starts from the original.
Checkpoints saved before still hold the data: erase it there by not keeping them.`;
