import { agentHelp, proposalHelp } from "./prompt-options.ts";

export const help = `charter reset: go back to the words a section was born with

  charter reset --agent ada soul
  charter reset --agent ada --user bo instructions --dry-run

${agentHelp.replace(", instead of --charter", "")}
  -i, --input <file|->       facts of the turn it comes from, as JSON
${proposalHelp}
      --json                 one JSON document, for scripts

It is an amendment like any other: history grows, nothing is lost. The actor is the operator, unless said otherwise.
Exit code 0: accepted, or unchanged. 1: refused or held.`;
