import { databaseHelp, jsonHelp } from "./help-options.ts";

export const pages = {
  verify: `charter verify: verify the fixed texts and the database

  charter verify                         the fixed texts against charter.lock, and the database if there is one
  charter verify --agent ada             only this agent's history

      --lock <file>          the lock file (default: charter.lock)
  -c, --charter <file>       a charter of your own that the lock names: it is run, trusted or not
  -a, --agent <name>         only this agent
${databaseHelp}
${jsonHelp}

A fixed text that differs from its lock is an error (exit code 2) that names the section. In the database every
amendment, receipt and text is verified: each that was edited, is missing or was moved is printed (exit code 1), also
whole tables, as long as other rows refer to them.`,

  doctor: `charter doctor: find problems, and what to do about them

  charter doctor
  charter doctor --models    also asks every model for one word

      --models               asks each model (of charter.config.ts, models.json, the agents, and the usual one) for one
                             word, which costs a word each, and tells what is wrong with its key, name, window or address
${databaseHelp}
${jsonHelp}

Checks Node, the lock, the database and its contents: texts that are not used, proposals and tool calls waiting for
approval, frozen agents, schedules that are overdue or failed, messages that could not be answered or sent.
Exit code 0: no problems. 1: something needs attention.`,

  checkpoint: `charter checkpoint: save the database to one file, and restore it

  charter checkpoint save today.checkpoint           the whole database, as of now
  charter checkpoint save ada.checkpoint --agent ada only this agent, and its users
  charter checkpoint inspect today.checkpoint        verify the file and print what it contains
  charter checkpoint restore today.checkpoint --database new.db

  -a, --agent <name>         save: only this agent; API tokens are saved only with the whole database
      --force                save: overwrite a file that is not a checkpoint
      --replace              restore: replace agents that exist already, with all their data
${databaseHelp}
${jsonHelp}

Checkpoints move between SQLite and PostgreSQL; prompts and history stay the same to the byte. Restoring is atomic: a
file that is damaged, truncated, of another kind or from a newer Charter changes nothing. Two databases with the same
data have the same “content”. Exit code 1: saved, but some texts were missing from the database.`,

  import: `charter import: import an older database

  charter import supabase --from postgres://user:password@host:5432/postgres --dry-run
  charter import supabase --from postgres://… --agent assistant --report import.json

      --from <url>           the old database: tables agent_configurations and user_agent_prompt_customizations,
                             original or migrated to soul, identity and instructions; it is only read, in one snapshot
  -a, --agent <name>         only this agent; may be repeated
      --dry-run              print what would be imported, change nothing
      --report <file>        write the full report as JSON, with every row that was not imported
${databaseHelp}
      --json                 print the same report to standard output

Each agent becomes an assistant with its soul and identity as original texts; unknown columns are kept in its settings.
A user's active rows become one amendment of their instructions, highest priority first. The import can be repeated:
what is unchanged stays, what changed in the old database is amended here, unless it was amended here since. Text that
a guard refuses waits for approval. Exit code 1: something waits for approval, conflicts, or was not imported.`,

  export: `charter export: export all data about one user

  charter export --user bo -o bo.json
  charter export --user bo --agent ada | jq '.agents[0].turns[].input'

  -u, --user <id>            the user
      --counterpart <name>   the same for whoever writes to an agent's inbox: an address, or shop/bo
  -a, --agent <name>         only with this agent
  -o, --output <file>        write to a file that only you can read
${databaseHelp}
      --json                 print the data on one line; with -o: what was written

Contains texts with their history, notes, conversations, messages, turns with the prompts that were sent, sessions,
schedules, events and proposals waiting for approval. Exit code 1: there is no data.`,

  erase: `charter erase: erase all data about one user

  charter erase --user bo                            print what would be erased, change nothing (exit code 1)
  charter erase --user bo --yes
  charter erase --user bo --agent ada --yes          only the data with one agent

  -u, --user <id>            the user
      --counterpart <name>   the same for whoever writes to an agent's inbox: an address, or shop/bo
  -a, --agent <name>         only with this agent
      --yes                  really erase it
${databaseHelp}
${jsonHelp}

The text is removed, also from the free pages and the log of a SQLite file. The history still verifies: it shows that
something was amended or sent, by whom, and when it was erased. The user's next prompt starts from the original texts.
Checkpoints saved earlier still contain the data: delete them.`,

  retain: `charter retain: delete old receipts, events and deliveries

  charter retain --receipts 90 --events 30
  charter retain --receipts 90 --dry-run

      --receipts <days>      delete what was sent in older steps; the history still verifies
      --events <days>        delete older events
      --attachments <days>   delete the bytes of older pictures and files; name, kind and size stay known
      --deliveries <days>    delete older messages of channels that are done, sent or given up, and ended runs
                             (received messages after two days at the earliest: a channel may send them again)
      --dry-run              print what would be deleted, change nothing
${databaseHelp}
${jsonHelp}

Texts that no amendment and no receipt refers to any more are deleted, and the disk space is freed.`,

  migrate: `charter migrate: bring the database schema up to date

  charter migrate                        creates the database if there is none
  charter migrate -d postgres://charter@db.example.org/charter

${databaseHelp}
${jsonHelp}

A database of a newer Charter is not changed.`,

  lock: `charter lock: pin the fixed texts in charter.lock

  charter lock                           write charter.lock for the built-in charters and the project's own
  charter lock --charter ./agent.ts      add a charter of your own
  charter lock --diff                    show what changed since it was written (exit code 1: something did)

      --lock <file>          the lock file (default: charter.lock)
${jsonHelp}`,
} as const;
