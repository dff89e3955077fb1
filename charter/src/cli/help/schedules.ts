import { databaseHelp } from "./prompt-options.ts";

export const help = `charter schedules: turns that come by themselves

  charter schedules                                  all of them, the next one first
  charter schedules add --agent ada --user bo --cron "0 8 * * 1-5" "Sum up my mail."
  charter schedules add --agent ada --user bo --at 2026-12-24T09:00 "Say happy birthday to Cy."
  charter schedules cancel <id>
  charter schedules runs                             what came of them, newest first

  -a, --agent <name>, -u, --user <name>
      --cron <line>          minute hour day month weekday, in the user's time zone
      --at <time>            once; without an offset it is the user's own time
      --zone <zone>          another zone than the user's
      --title <words>        what it is called; the words that are asked, unless said otherwise
      --missed once|skip     when nobody was there to run it: once, late (once), or not at all
      --overlap skip|queue   when the run before is still going: not at all (skip), or after it
      --max-tries <n>        how often a run that fails is tried, 1 to 10 (3)
      --limit <n>            so many, up to 1000 (50); --offset <n> from there on
${databaseHelp}
      --json                 one JSON document, for scripts

They run while charter start or charter work is running: docs/schedules.md`;
