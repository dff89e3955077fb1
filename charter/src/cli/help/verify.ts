import { databaseHelp } from "./prompt-options.ts";

export const help = `charter verify: is everything as it was written?

  charter verify                         the fixed words, and the database where there is one
  charter verify --agent ada             only this agent's chains

      --lock <file>          another file than charter.lock
  -a, --agent <name>         only this agent
${databaseHelp}
      --json                 one JSON document, for scripts

Fixed words that are not the locked ones are a problem (exit code 2) that names the section. In the database every
amendment, every receipt and every text is proved: each that was edited, is missing or stands elsewhere is named on a
line of its own (exit code 1). So is what is gone as a whole, as long as other rows tell of it.`;
