import { databaseHelp } from "./prompt-options.ts";

export const help = `charter doctor: what needs a hand, and what to do

  charter doctor

${databaseHelp}
      --json                 one JSON document, for scripts

Looks at Node, the lock, the database and what is in it: standing texts that are not used, proposals and tool calls that
wait for a person, frozen agents, schedules that are overdue or failed, messages nobody could answer or send. Exit code 0:
all is well. 1: something needs a hand.`;
