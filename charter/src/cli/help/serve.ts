import { databaseHelp } from "./prompt-options.ts";

export const help = `charter serve: the HTTP API and the web chat, for others to reach

  charter serve --database postgres://charter@db/charter --host 0.0.0.0 --url https://charter.example.org

Any number of them may share a PostgreSQL; schedules and bots that fetch their updates run in charter work. Put it behind
a proxy that speaks https. charter tokens sign-in makes a link to sign in with, charter tokens create a key for the API.

      --host <address>       where to listen; 127.0.0.1 is this machine alone
  -p, --port <n>             4747
      --url <address>        where others reach it: for links, cookies, and Telegram's webhook
  -m, --model <name>         the model of agents that name none, as provider/model
      --zone <zone>          the time zone of users who have none
      --config <file>        charter.config.ts, where there is one
      --quiet                log only what went wrong
${databaseHelp}
      --json                 what it prints, as one JSON line`;
