import { databaseHelp } from "./prompt-options.ts";

export const help = `charter import: bring an old database over

  charter import supabase --from postgres://user:password@host:5432/postgres --dry-run
  charter import supabase --from postgres://… --agent assistant --report import.json

      --from <url>           the old database: agent_configurations and user_agent_prompt_customizations, as they were
                             or migrated to soul, identity and instructions. It is only read, at one moment
  -a, --agent <name>         only this agent; may be given again
      --dry-run              say what would come, change nothing
      --report <file>        the whole report as JSON, with every row that could not come
${databaseHelp}
      --json                 the same report on standard output

Each agent becomes an assistant with its soul and identity as originals; columns Charter does not know are kept in its
settings. A user's active rows become one amendment of their instructions, the highest priority first. Run it again as
often as you like: what is the same stays, what changed there is amended here unless someone amended it here since.
Words a guard refuses wait whole as a held proposal. Exit code 1: something waits, is in conflict, or could not come.`;
