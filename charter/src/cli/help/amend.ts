import { agentHelp, promptHelp, proposalHelp } from "./prompt-options.ts";

export const help = `charter amend: change a section's words, under guard

On a database the change lasts; every guard speaks, and all objections come back at once:
  charter amend --agent ada --user bo -s instructions -o rewrite --content "Be brief." --actor user
  charter amend --agent ada -s soul -o append --content-file more.md --reason "asked for" --revision 3
  charter amend --agent ada -s soul -o append --content "Be kind." --dry-run
  charter amend --agent ada --user bo -s soul -o append --content "Be kind." --quote

On a charter and its facts nothing is kept, and --dry-run is needed:
  charter amend -c artifact -i facts.json -s prompt -o replace_section --marker "## Goals" --content "1. Rest" --dry-run
  charter amend -c sovereign -s 6 -o rewrite --content-file loop.md --dry-run --json

${agentHelp}
${promptHelp}
  -s, --section <name>       the section; a sovereign layer answers to its number too
  -o, --operation <o>        append, prepend, replace_section, rewrite, reset or revert
      --content <words>      or --content-file <file|->
      --marker <heading>     for replace_section: the heading, by level and title ("## Goals")
      --to <revision>        for revert
${proposalHelp}

Whoever types is a person: with --agent the actor is the operator, unless said otherwise. With --charter it is the agent.
Exit code 0: accepted, or unchanged. 1: refused or held. What is held waits for charter approve or charter reject.`;
