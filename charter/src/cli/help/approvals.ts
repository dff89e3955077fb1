import { databaseHelp } from "./prompt-options.ts";

export const help = `charter approvals: proposals and calls of tools that wait for a person

  charter approvals                           what waits, oldest first
  charter approvals <id>                      one of them whole: who, why, and what it would change or do
  charter approve <id>                   let it stand, or let the tool run
  charter reject <id> --reason "no"     or not

  -a, --agent <name>         only this agent's
      --status <s>           waiting (default), approved or rejected; of calls also running, done or failed
      --limit <n>            so many, up to 1000 (50); --offset <n> from there on
${databaseHelp}
      --json                 one JSON document, for scripts`;
