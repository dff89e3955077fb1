import { directoryHelp } from "./directory-options.ts";

export const help = `charter files: every file a coding agent's prompt could be made of

  charter files
  charter files --cwd ~/projects/app --json | jq '.files[] | select(.used)'

Says of each whether it is used, why not, and how many tokens it brings; then what is wrong with any of them.

${directoryHelp}
      --tokenizer <t>        o200k_base (default), cl100k_base or estimate
      --json                 one JSON document, with the places that hold nothing too`;
