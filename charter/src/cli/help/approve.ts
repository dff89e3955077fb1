import { databaseHelp } from "./prompt-options.ts";

export const help = `charter approve: let a held proposal stand

  charter held
  charter approve <id> --by eva

      --by <name>            who says so (operator)
${databaseHelp}
      --json                 one JSON document, for scripts

Every guard speaks again, about the words that stand now; only the one that asked for a person is silent.
Exit code 0: it stands. 1: refused by another guard; it still waits.`;
