import { databaseHelp } from "./prompt-options.ts";

export const help = `charter turns: what was asked and answered, newest first

  charter turns --agent ada
  charter turns --agent ada --user bo --limit 10 --json
  charter turns <turn>                   one of them whole, with its steps: tokens, cuts, notices, what came of it

  -a, --agent <name>         only this agent's
  -u, --user <id>            only this user's
      --limit <n>            so many, up to 1000 (50); --offset <n> from there on
${databaseHelp}
      --json                 one JSON document, for scripts`;
