import { agentHelp, proposalHelp } from "./prompt-options.ts";

export const help = `charter revert: go back to an earlier revision

  charter history --agent ada soul
  charter revert --agent ada soul --to 3 --reason "it was better"
  charter revert --agent ada --user bo instructions --to 0

      --to <revision>        the revision whose words come back; 0 is the original
${agentHelp.replace(", instead of --charter", "")}
  -i, --input <file|->       facts of the turn it comes from, as JSON
${proposalHelp}
      --json                 one JSON document, for scripts

It is an amendment like any other: guards speak, history grows, nothing is lost. The actor is the operator, unless said
otherwise. Exit code 0: accepted, or unchanged. 1: refused or held.`;
