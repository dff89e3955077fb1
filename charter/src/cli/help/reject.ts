import { databaseHelp } from "./prompt-options.ts";

export const help = `charter reject: say no to a held proposal, or to a held call

  charter reject <id> --by eva --reason "not from a web page"

      --by <name>            who says so (operator)
      --reason <words>      why; whoever asks again is told
${databaseHelp}
      --json                 one JSON document, for scripts`;
