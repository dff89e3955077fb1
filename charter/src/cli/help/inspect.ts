import { agentHelp, databaseHelp, directoryHelp, jsonHelp, pageHelp, promptHelp } from "./help-options.ts";

export const pages = {
  show: `charter show: print the exact prompt a model would get

  charter show --agent ada --user bo --channel telegram
  charter show --charter assistant --input facts.json
  charter show --charter sovereign --input facts.json --table
  charter show --charter coder --cwd ~/projects/app
  echo '{"channel":"web"}' | charter show -c assistant -i - --json | jq .tokens

${agentHelp}
${promptHelp}
      --table                print a table of sections with their tokens instead of the text
For a coding agent without --input:
${directoryHelp}

The prompt goes to standard output, cuts and notices to standard error. With --agent, settings and current texts come
from the database, and --input holds only the facts of this turn (now, tools).`,

  why: `charter why: find where a text in the prompt comes from

  charter why --charter sovereign "lower number wins"
  charter why --charter coder --input facts.json --json "AGENTS.md"
  charter why --agent ada --user bo "Be brief"

${agentHelp}
${promptHelp}
For a coding agent without --input:
${directoryHelp}

Prints section, layer, source and revision of every occurrence. With --agent also the amendment that wrote it: who, in
which turn, when and why. Exit code 1: the text is not in the prompt.`,

  history: `charter history: list the amendments of a section, newest first

  charter history --agent ada soul
  charter history --agent ada --user bo instructions --words
  charter history --agent ada 6 --limit 100 --before 901 --json

  -a, --agent <name>         the agent
  -u, --user <id>            the user, for a section that each user has their own copy of
${databaseHelp}
      --limit <n>            at most n amendments, up to 1000 (default: 20)
      --before <revision>    only older ones
      --words                show each change as a diff
      --json                 print one JSON document: complete amendments, with the text before and after`,

  turns: `charter turns: list turns, newest first

  charter turns --agent ada
  charter turns --agent ada --user bo --limit 10 --json
  charter turns --agent ada --words "refund order" --state failed
  charter turns <turn>                   one turn with its steps: tokens, cuts, notices, results

  -a, --agent <name>         only this agent
  -u, --user <id>            only this user
      --counterpart <name>   only whoever writes to an agent's inbox: an address, or shop/bo
      --words <words>        only if input and reply have words that begin with each of these
      --state <state>        running, answered, failed, interrupted or erased
      --event <event>        amended, refused, held, cache-miss, tool or failed: what happened in it
      --channel <name>       only this channel
      --model <name>         only those this model was asked last in
      --from <time>          only those that began then or later, as in 2026-02-18T15:04:00Z
      --to <time>            only those that began before then
      --min-cost <dollars>   only those that cost as much or more
      --max-cost <dollars>   only those that cost as much or less
      --sort <order>         newest (default), oldest, cost or duration
${pageHelp}
${databaseHelp}
${jsonHelp}`,

  sessions: `charter sessions: list sessions (conversations), most recently used first

  charter sessions
  charter sessions list --agent ada --user bo
  charter sessions --channel telegram --open --json

  -a, --agent <name>         only this agent
  -u, --user <id>            only this user
      --counterpart <name>   only whoever writes to an agent's inbox: an address, or shop/bo
      --channel <name>       only this channel
      --open                 only those that can go on
${pageHelp}
${databaseHelp}
${jsonHelp}

Go on with one: charter chat --session <id>, or /resume in the chat.`,

  replay: `charter replay: print the exact bytes that were sent to the model

  charter replay <turn>                  the last step of a turn
  charter replay <turn>/1                the first step
  charter replay <turn> | sha256sum      the digest in its receipt
  charter replay <turn> --request        the whole request: tools, system, messages

      --verify               only verify the bytes, do not print them
      --request              the whole request as the model was given it, with token counts
      --body                 the body that went out to the provider, and nothing else
      --curl                 the command that sends it again; the key is a variable in it
${databaseHelp}
      --json                 print one JSON document: slots, digests, the receipt; with --request all of the request

Without --request only the words of the prompt are printed. The bytes go to standard output; the verification, and the name of each slot if there are several, to standard error. If
the bytes were erased or changed, that is an error (exit code 2).`,

  diff: `charter diff: compare two prompts that were sent, and show what caused a cache miss

  charter diff <turn> <turn>             their last steps
  charter diff <turn>/1 <turn>/2         two steps

${databaseHelp}
${jsonHelp}

Compares section by section, with the first byte that differs and the amendment that changed it. Exit code 0: identical.
1: there are differences.`,

  memory: `charter memory: list, search, add, change and delete an agent's notes

  charter memory --agent ada --user bo               newest first
  charter memory --agent ada --user bo green tea     best match first; "quoted words" stay together, -word excludes
  charter memory add --agent ada --user bo "Bo likes green tea."
  charter memory update --agent ada --user bo <id> "Bo likes black tea."
  charter memory forget --agent ada --user bo <id>
  charter memory vouch --agent ada [--user bo]       imported notes are own words from now on
  charter memory vouch --undo --agent ada            they are foreign again
  charter memory search --agent ada add              to search for add, update, forget, vouch or search

  -a, --agent <name>         the agent
  -u, --user <id>            notes for this user (default: the agent's own; with vouch: all users)
      --counterpart <name>   the same for whoever writes to an agent's inbox: an address, or shop/bo
      --key <name>           with add: the note's key; a note with the same key is replaced
      --undo                 with vouch: take it back
      --by <name>            with vouch: who says so (default: operator)
${pageHelp}
${databaseHelp}
${jsonHelp}

Search works in any language and script. If no note has the words, they are searched for inside other words.
Vouching is recorded as an event. What the override screen flags, or hides characters, stays foreign and is listed.
Exit code 1: nothing found.`,

  conversations: `charter conversations: list an agent's conversations

  charter conversations --agent ada                  most recently active first
  charter conversations --agent ada shop/bo          one conversation, oldest exchange first

  -a, --agent <name>         the agent
      --counterpart <name>   the same as naming it: an address, or what a token says of a sender (shop/bo)
${pageHelp}
${databaseHelp}
${jsonHelp}

Exit code 1: there is no conversation with that address.`,

  files: `charter files: list the files a coding agent's prompt can be built from

  charter files
  charter files --cwd ~/projects/app --json | jq '.files[] | select(.used)'

Prints for each file whether it is used, why not, and its tokens; then what is wrong with any of them.

${directoryHelp}
      --tokenizer <t>        o200k_base (default), cl100k_base or estimate
      --json                 print one JSON document, with the places that hold no file too`,

  skills: `charter skills: list a coding agent's skills, and check them

  charter skills
  charter skills check .charter/skills          check against the Agent Skills specification; exit code 1: errors

A skill is a directory with a SKILL.md whose front matter has a name and a description. If two skills have the same name
the first is used: those given with --skill, then the project's, then your own.

${directoryHelp}
${jsonHelp}`,

  mcp: `charter mcp: list an agent's MCP servers, and which of their tools it is offered

  charter mcp --agent ada
  charter mcp --agent ada --json | jq '.servers[].pins[].status'

The servers that the agent's setting “mcp” names are asked, as charter.config.ts here describes them. A tool that is new
is offered from now on, unless the screen finds something in it; one that changed waits: see charter approvals.

  -a, --agent <name>         the agent; not needed where there is one
${databaseHelp}
${jsonHelp}

Exit code 1: a server is unavailable.`,
} as const;
