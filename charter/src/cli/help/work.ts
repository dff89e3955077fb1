import { databaseHelp } from "./prompt-options.ts";

export const help = `charter work: schedules and Telegram bots, without HTTP

  charter work --database postgres://charter@db/charter

Any number of them share the work: each run of a schedule is made once, and what one that dies was doing another takes
over. Ctrl-C waits for turns that run.

  -m, --model <name>         the model of agents that name none, as provider/model
      --zone <zone>          the time zone of users who have none
      --config <file>        charter.config.ts, where there is one
      --quiet                log only what went wrong
${databaseHelp}
      --json                 what it prints, as one JSON line`;
