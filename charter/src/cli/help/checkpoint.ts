import { databaseHelp } from "./prompt-options.ts";

export const help = `charter checkpoint: everything in one file, and back

  charter checkpoint save today.checkpoint           the whole database, as it is at this moment
  charter checkpoint save ada.checkpoint --agent ada only this agent, and its users
  charter checkpoint inspect today.checkpoint        is it whole, and what does it hold?
  charter checkpoint restore today.checkpoint --database new.db

  -a, --agent <name>         save: this agent only. API tokens are in a whole checkpoint only
      --force                save: also over a file that is no checkpoint
      --replace              restore: agents that are there already are replaced, with all that is theirs
${databaseHelp}
      --json                 one JSON document, for scripts

It moves between SQLite and PostgreSQL: prompts and history are the same to the byte. Restoring is all or nothing, and a
file that is damaged, cut short, foreign or newer changes nothing. Two stores that hold the same have the same “content”.
Exit code 1: saved, but the store had lost some texts.`;
