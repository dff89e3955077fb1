import { agentHelp, databaseHelp, jsonHelp, pageHelp, placeHelp, promptHelp, proposalHelp } from "./help-options.ts";

const goBackHelp = `${agentHelp}
  -i, --input <file|->       the facts of the turn, as JSON
${proposalHelp}
${jsonHelp}

This is an amendment like any other: guards check it, and the history is kept. The actor is the operator unless --actor
says otherwise. Exit code 0: accepted, or unchanged. 1: refused, waiting for approval, or not published yet.`;

export const pages = {
  amend: `charter amend: change a section's text; guards check the change

In a database the change is kept. Every guard checks it, and all refusals are printed:
  charter amend --agent ada --user bo -s instructions -o rewrite --content "Be brief." --actor user
  charter amend --agent ada -s soul -o append --content-file more.md --reason "asked for" --revision 3
  charter amend --agent ada -s soul -o append --content "Be kind." --dry-run
  charter amend --agent ada --user bo -s soul -o append --content "Be kind." --quote

With a charter and facts nothing is kept, so --dry-run is required:
  charter amend -c artifact -i facts.json -s prompt -o replace_section --marker "## Goals" --content "1. Rest" --dry-run
  charter amend -c sovereign -s 6 -o rewrite --content-file loop.md --dry-run --json

${agentHelp}
${promptHelp}
  -s, --section <name>       the section; for a sovereign layer also its number
  -o, --operation <o>        append, prepend, replace_section, rewrite, reset or revert
      --content <text>       the text; or --content-file <file|->
      --compact <line>       what stands for the changed text in the compact edition, of a section with such a line
      --marker <heading>     for replace_section: the heading, with its level ("## Goals")
      --to <revision>        for revert: the revision to go back to
${proposalHelp}

The default actor is the operator with --agent, and the agent with --charter.
Exit code 0: accepted, or unchanged. 1: refused, waiting for approval (charter approve, charter reject), or not
published yet (a core memory).`,

  revert: `charter revert: go back to an earlier revision of a section

  charter history --agent ada soul
  charter revert --agent ada soul --to 3 --reason "it was better"
  charter revert --agent ada --user bo instructions --to 0

      --to <revision>        the revision to go back to; 0 is the original
${goBackHelp}`,

  reset: `charter reset: go back to a section's original text

  charter reset --agent ada soul
  charter reset --agent ada --user bo instructions --dry-run

${goBackHelp}`,

  approvals: `charter approvals: list proposals, tool calls and tools waiting for approval

  charter approvals                      oldest first
  charter approvals <id>                 one of them: who asked, why, and what it would change or do
  charter approve <id>                   apply the change, or let the tool run
  charter reject <id> --reason "no"      refuse it

  -a, --agent <name>         only this agent
      --status <s>           waiting (default), approved or rejected; for calls also running, done or failed
${pageHelp}
${databaseHelp}
${jsonHelp}`,

  approve: `charter approve: approve a proposal or a tool call that is waiting

  charter approvals
  charter approve <id> --by eva
  charter approve <id> --content "- Answer in French."
  charter approve <id> --current

      --by <name>            who approves (default: operator)
      --content <text>       approve this text in place of the proposed one; you count as its author
      --content-file <file>  the same from a file; - is standard input
      --current              apply the proposal to the current text, even if that has changed since
${databaseHelp}
${jsonHelp}

A proposal is checked again against the current text, by every guard but the one that asked for approval. If the text
has changed since, both changes are shown and nothing is applied: add --current to apply it to the current text.
A tool call runs once, in the agent's next turn for that user.
Exit code 0: approved. 1: refused by another guard, or the text has changed; it still waits.`,

  reject: `charter reject: reject a proposal or a tool call that is waiting

  charter reject <id> --by eva --reason "not from a web page"

      --by <name>            who rejects (default: operator)
      --reason <text>        why; the agent is told if it asks again
${databaseHelp}
${jsonHelp}`,

  freeze: `charter freeze: stop amendments to an agent, or the agent itself

  charter freeze ada                     no amendment of ada is accepted, whoever proposes it
  charter freeze ada --all               ada runs no turns either
  charter thaw ada                       undo both

      --all                  stop the agent itself, not only its amendments
${databaseHelp}
${jsonHelp}

Takes effect at once, in every process that uses this database.`,

  thaw: `charter thaw: let a frozen agent run and be amended again

  charter thaw ada

${databaseHelp}
${jsonHelp}`,

  trust: `charter trust: allow a directory to use its own prompt files, skills, code and settings

  charter trust                          trust the current directory from now on
  charter trust ~/projects/app
  charter trust --list
  charter trust --remove

AGENTS.md and CLAUDE.md are always read. Used only after you trust the directory: SYSTEM.md, APPEND_SYSTEM.md, skills and
extensions; charter.config.ts (.js, .mjs), models.json and .env, which say to whom your words and API keys are sent; and
the charter files that its .charter/charter.db and charter.lock name. Extensions, charter files and charter.config.ts run
as code on this machine: read them first. Code and settings that change have to be trusted again.

${placeHelp}
${jsonHelp}`,
} as const;
