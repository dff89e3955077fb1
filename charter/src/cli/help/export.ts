import { databaseHelp } from "./prompt-options.ts";

export const help = `charter export: everything that is kept about one user

  charter export --user bo -o bo.json
  charter export --user bo --agent ada | jq '.agents[0].turns[].input'

  -u, --user <id>            whose
  -a, --agent <name>         with this agent only
  -o, --output <file>        into a file only you may read
${databaseHelp}
      --json                 one JSON document: the data on one line, or with -o what was written

Standing texts with their history, notes, conversations, letters, turns with the prompts that were sent, sessions,
schedules, events and held proposals. Exit code 1: nothing is kept.`;
