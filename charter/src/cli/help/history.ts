import { databaseHelp } from "./prompt-options.ts";

export const help = `charter history: how a section came to its words, newest first

  charter history --agent ada soul
  charter history --agent ada --user bo instructions --words
  charter history --agent ada 6 --limit 100 --before 901 --json

  -a, --agent <name>         the agent
  -u, --user <id>            whose copy, where a section is each user's own
${databaseHelp}
      --limit <n>            so many amendments, up to 1000 (20)
      --before <revision>    only older ones
      --words                each with what it changed
      --json                 one JSON document: whole amendments, before and after`;
