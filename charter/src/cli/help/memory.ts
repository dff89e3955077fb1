import { databaseHelp } from "./prompt-options.ts";

export const help = `charter memory: what an agent remembers

  charter memory --agent ada --user bo               newest first
  charter memory --agent ada --user bo green tea     best first; "quoted words" stay together, -word leaves notes out
  charter memory add --agent ada --user bo "Bo likes green tea."
  charter memory forget --agent ada --user bo <id>
  charter memory search --agent ada add              when the first word is add, forget or search

  -a, --agent <name>         the agent
  -u, --user <id>            what it keeps for this user; none: for itself
      --key <name>           of a note that is added: the same key replaces it
      --limit <n>            so many, up to 1000 (50); --offset <n> from there on
${databaseHelp}
      --json                 one JSON document, for scripts

Any language and script: where no note has the words, they are looked for inside others. Exit code 1: nothing found.`;
