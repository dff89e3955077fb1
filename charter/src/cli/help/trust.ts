import { placeHelp } from "./directory-options.ts";

export const help = `charter trust: let a project bring its own words and code

  charter trust                          the directory you are in, from now on
  charter trust ~/projects/app
  charter trust --list
  charter trust --remove

AGENTS.md and CLAUDE.md are always read. A project's SYSTEM.md, APPEND_SYSTEM.md, skills and extensions are used only
after you trusted it, and so are the charter files of the agents in its .charter/charter.db. Extensions and charter
files run as code on this machine: look at them first. When one of them changes, it has to be trusted again.

${placeHelp}
      --json                 one JSON document, for scripts`;
