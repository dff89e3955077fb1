import { databaseHelp } from "./prompt-options.ts";

export const help = `charter users: the users who have something set up

  charter users
  charter users create bo --zone Europe/Berlin       someone with a time zone of their own, or without one
  charter users set bo --zone Europe/Berlin          "" takes the zone away
  charter users link bo --agent ada                  a code that makes a Telegram chat bo's: once, for ten minutes

      --zone <zone>          the user's time zone, which their prompts tell the time in
      --limit <n>            so many, up to 1000 (50); --offset <n> from there on
${databaseHelp}
      --json                 one JSON document, for scripts`;
