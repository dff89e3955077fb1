import { databaseHelp } from "./prompt-options.ts";

export const help = `charter start: everything on this machine, in one command

  charter start                          server, web chat, schedules, and Telegram when it is set up

It prints a link that signs you in as the operator. Where there is no agent yet, an assistant is made, ready to talk.
Only this machine can reach it (for others: charter serve). Ctrl-C waits for turns that run; twice ends them.

  -p, --port <n>             4747, or the next that is free; 0: any
      --no-open              do not show the page in the browser
      --url <address>        where you reach it, when a proxy or a tunnel stands before it
  -m, --model <name>         the model of agents that name none, as provider/model
      --zone <zone>          the time zone of users who have none (this machine's)
      --config <file>        charter.config.ts, where there is one
      --verbose              log every request, not only what went wrong
${databaseHelp}
      --json                 what it prints, as one JSON line

Settings come from charter.config.ts, over it the environment (CHARTER_PORT, CHARTER_MODEL, CHARTER_ZONE,
TELEGRAM_BOT_TOKEN, CHARTER_JWT_SECRET …), over it the flags: docs/assistant.md`;
