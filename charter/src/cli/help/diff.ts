import { databaseHelp } from "./prompt-options.ts";

export const help = `charter diff: what changed between two prompts, and what broke the cached prefix

  charter diff <turn> <turn>             their last steps
  charter diff <turn>/1 <turn>/2         two steps

${databaseHelp}
      --json                 one JSON document, for scripts

Section by section, with the first byte that is another and the amendment that made it so. Exit code 0: identical.
1: there are differences.`;
