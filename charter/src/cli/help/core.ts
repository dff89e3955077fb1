import { databaseHelp, jsonHelp, proposalHelp } from "./help-options.ts";

export const pages = {
  core: `charter core: read and change a resident's core memory, and look after its relays

  charter core get                                   print it; where it comes from, or why it is not there, on standard error
  charter core get mem/people/bo                     print another memory
  charter core set "You are Ada."                    change it, by an amendment, and publish it
  charter core set --content-file core.md            the same from a file; - is standard input
  charter core history                               list its revisions, the event of each, and whether it was published
  charter core list                                  list the memories besides it; --all: deleted ones, too
  charter core relays                                each relay: what it has, and how far that is behind the newest
  charter core publish                               send again what no relay has taken yet, or what some have lost or missed
  charter core new                                   say that nothing was ever written with its key, made elsewhere: then
                                                     it can begin though a relay is away

  -a, --agent <name>         the agent (default: the only one that has a core memory on relays)
      --all                  with list: also memories that were deleted
      --words                with history: show the changes
      --limit <n>            with history: at most n revisions (default: 20); --before <n>: older than revision n
      --content <text>       with set: the text; or --content-file <file|->
  -i, --input <file|->       with set: the facts of the turn, as JSON
${proposalHelp}
${databaseHelp}
${jsonHelp}

A change is an amendment: guards check it, and the history is kept. Each relay that did not take it is named. If another's
change came first, both texts are shown. The key is where charter.config.ts says; commands run that file after charter
trust: docs/resident.md
Exit code 0: done. 1: empty, unavailable, refused, held, a conflict, or not published yet.`,
} as const;
