import { databaseHelp } from "./prompt-options.ts";

export const help = `charter approve: let a held proposal stand, or a held call be made

  charter approvals
  charter approve <id> --by eva

      --by <name>            who says so (operator)
${databaseHelp}
      --json                 one JSON document, for scripts

A proposal: every guard speaks again, about the words that stand now; only the one that asked for a person is silent.
Where those words have changed since, both changes are shown and nothing is applied.
A call: the tool runs once, with the agent's next turn for that user.
Exit code 0: it stands, or will run. 1: refused by another guard; it still waits.`;
