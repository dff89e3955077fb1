import { directoryHelp } from "./directory-options.ts";
import { agentHelp, promptHelp } from "./prompt-options.ts";

export const help = `charter why: who wrote these words

  charter why --charter sovereign "lower number wins"
  charter why --charter coder --input facts.json --json "AGENTS.md"
  charter why --agent ada --user bo "Be brief"

${agentHelp}
${promptHelp}

Of a coding agent without --input, in what is really there:
${directoryHelp}

Answers for every place the words stand in: section, layer, source, revision. With --agent also the amendment that
brought them in: by whom, in which turn, when and why. Exit code 1: they are not there.`;
