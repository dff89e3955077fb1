import { databaseHelp } from "./prompt-options.ts";

export const help = `charter conversations: with whom an agent speaks

  charter conversations --agent ada                  the most recently active first
  charter conversations --agent ada bo@example.org   one of them, oldest exchange first

  -a, --agent <name>         the agent
      --limit <n>            so many, up to 1000 (50); --offset <n> from there on
${databaseHelp}
      --json                 one JSON document, for scripts

Exit code 1: there is no conversation with that address.`;
