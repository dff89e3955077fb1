import { placeHelp } from "./directory-options.ts";

export const help = `charter trust: let a project bring its own words and code

  charter trust                          the directory you are in, from now on
  charter trust ~/projects/app
  charter trust --list
  charter trust --remove

AGENTS.md and CLAUDE.md are always read. A project's SYSTEM.md, APPEND_SYSTEM.md, skills and extensions are used only
after you trusted it. Extensions run as code on this machine: look at them first. When one of them changes, the project
has to be trusted again.

${placeHelp}
      --json                 one JSON document, for scripts`;
