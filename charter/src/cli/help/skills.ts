import { directoryHelp } from "./directory-options.ts";

export const help = `charter skills: the skills a coding agent has here, and what is wrong with them

  charter skills
  charter skills check .charter/skills          by the Agent Skills specification; exit code 1 when there are errors

A skill is a directory with a SKILL.md whose front matter has a name and a description. Of two with one name the first
stands: those you name, then the project's, then your own.

${directoryHelp}
      --json                 one JSON document, for scripts`;
