import { databaseHelp } from "./prompt-options.ts";

export const help = `charter thaw: let a frozen agent go on

  charter thaw ada

${databaseHelp}
      --json                 one JSON document, for scripts`;
