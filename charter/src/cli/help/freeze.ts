import { databaseHelp } from "./prompt-options.ts";

export const help = `charter freeze: the operator's brake

  charter freeze ada                     no amendment of ada is accepted, by whatever hand
  charter freeze ada --all               ada itself stops: it takes no turns
  charter thaw ada                       it goes on

      --all                  the agent itself, not only its amendments
${databaseHelp}
      --json                 one JSON document, for scripts

It holds from the next moment on, in every process that works on this database.`;
