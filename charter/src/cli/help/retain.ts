import { databaseHelp } from "./prompt-options.ts";

export const help = `charter retain: how long receipts, events and deliveries are kept

  charter retain --receipts 90 --events 30
  charter retain --receipts 90 --dry-run

      --receipts <days>      what was sent in older steps goes; their place in the chain stays and still verifies
      --events <days>        older events go
      --deliveries <days>    what came over a channel and is done, what was sent or given up, and runs that ended go
                             (what came over a channel after two days at the earliest: it may be told of again)
      --dry-run              say what would go, change nothing
${databaseHelp}
      --json                 one JSON document, for scripts

Texts that no amendment and no receipt names any more are deleted, and the room is given back.`;
