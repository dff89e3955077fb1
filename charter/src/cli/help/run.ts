import { acpHelp, codingHelp, databaseHelp, serviceHelp } from "./help-options.ts";

const bannerHelp = `${databaseHelp}
      --json                 print the banner as one line of JSON`;

export const pages = {
  chat: `charter chat: chat with an agent in the terminal

  charter chat                                  with the only agent; if there is none, a demo agent is created
  charter chat --agent ada --user bo --model anthropic/claude-sonnet-5-5
  charter chat --charter artifact               with an agent that edits its own prompt; created if there is none
  charter chat --charter coder                  with a coding agent, in the current directory
  charter chat "what do you remember about me?" run one turn and print the reply
  charter chat --file cat.png "what is this?"   with a picture or a file
  cat questions.txt | charter chat > answers.txt

No setup is needed. Without an API key a scripted stand-in answers: it says so, and really calls the tools. To use a
model, set ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY or OPENROUTER_API_KEY.

  -a, --agent <name>         an agent in the database
  -c, --charter <name|file>  an agent with this charter, created if there is none: assistant, artifact, sovereign, …
  -u, --user <id>            who you are (default: your name on this machine)
  -m, --model <name>         provider/model (default: the agent's, else one your API keys allow)
      --window <tokens>      the most tokens the model takes (default: the agent's, else what is known or learned)
  -s, --session <id|new>     the session to continue (default: the newest with this model)
      --channel <c>          the channel the agent is told (default: terminal)
      --file <path>          a picture or a file that comes with the words; may be given several times
      --ask <when>           be asked before calls: never, writes (those with effects outside) or always (default: writes
                             with a coding agent on a terminal, else never); what untrusted text holds is always asked
${codingHelp}
      --json                 print one JSON document per turn

In the conversation:
  /prompt                    what the next request will contain; /prompt sent: what was sent last
  /why text                  find where a text in the prompt comes from
  /cost                      the cost of the last turn and the session, predicted and billed
  /undo                      revert the session's last amendment
  /approvals                 list proposals, calls and tools waiting for approval; /approve, /reject decide
  /file path [words]         send a picture or a file
  /reload, /files            for a coding agent: read all files again; list the files in its prompt
  /new, /model, /help, /quit

Amendments, refusals and approvals are shown as they happen. A call that needs you is asked about in place: y runs it
once, a allows the tool in this session until text of another source comes, n rejects it. Ctrl-C stops a reply; at the prompt it quits, as Ctrl-D
does. A line that ends in a backslash continues on the next line.

In a pipe each line is a turn: replies go to standard output, everything else to standard error.
Exit code 0: every turn was answered. 1: at least one was not.`,

  acp: `charter acp: run an agent in an editor

  charter acp                                   the only agent; if there is none, a demo agent is created
  charter acp --charter coder                   a coding agent, in the directory each session is opened for
  charter acp --agent ada --user bo --database ~/charter.db
  charter acp probe -- <command…>               where another agent takes a system prompt: charter acp probe --help

The editor starts this command and speaks the Agent Client Protocol with it, version 1 or 2, over standard input and
output; docs/editors.md has the settings to paste. Everything else is printed on standard error. When the editor
leaves, running turns are stopped.

  -a, --agent <name>         an agent in the database
  -c, --charter <name|file>  an agent with this charter, created if there is none: assistant, coder, …
  -u, --user <id>            who you are (default: your name on this machine)
  -m, --model <name>         provider/model (default: the agent's, else one your API keys allow)
      --window <tokens>      the most tokens the model takes (default: the agent's, else what is known or learned)
      --ask <when>           the mode sessions begin in: never, writes or always (default: writes with a coding agent)
${acpHelp}

A directory that brings its own prompt, skills or extensions is asked about in the editor, with the first prompt;
charter trust allows it permanently. Exit code 0: the editor left. 1: what it sent could not be read.`,

  start: `charter start: run everything on this machine

  charter start                          server, web chat, schedules, and Telegram if it is configured
  charter start --demo                   an example with made-up data to look around in, cut off from everything else

Prints a link that signs you in as the operator. If there is no agent, an assistant is created. Only this machine can
connect; use charter serve for others. Ctrl-C waits for running turns; a second Ctrl-C stops them.

  -p, --port <n>             the port (default: 4747, or the next free one); 0: any free port
      --host <address>       the address to listen on: of this machine alone (default: 127.0.0.1)
      --demo                 show a demo: its own database (.charter/demo.db), the stand-in alone, no settings from here
      --fresh                with --demo: make it anew
      --no-open              do not open the page in a browser
      --url <address>        the public address, if there is a proxy or a tunnel in front
${serviceHelp}
      --verbose              log every request, not only errors
${bannerHelp}

Flags override the environment (CHARTER_PORT, CHARTER_MODEL, CHARTER_ZONE, TELEGRAM_BOT_TOKEN, CHARTER_JWT_SECRET …),
which overrides charter.config.ts: docs/assistant.md`,

  serve: `charter serve: run the HTTP API and the web chat, for other machines to reach

  charter serve --database postgres://charter@db/charter --host 0.0.0.0 --url https://charter.example.org

Any number of servers can share one PostgreSQL database. Schedules, automata, and bots that poll, run in charter work. Put
the server behind an https proxy. charter tokens sign-in creates a sign-in link, charter tokens create an API token.

      --host <address>       the address to listen on; 127.0.0.1: this machine only
  -p, --port <n>             the port (default: 4747)
      --url <address>        the public address: for links, cookies and Telegram's webhook
${serviceHelp}
      --quiet                log only errors
${bannerHelp}`,

  work: `charter work: run schedules, Telegram bots and automata, without HTTP

  charter work --database postgres://charter@db/charter

Any number of workers can share one database: each scheduled run is made once, each message answered once, and another
worker takes over the work of one that dies. Ctrl-C waits for running turns.

${serviceHelp}
      --quiet                log only errors
${bannerHelp}`,
} as const;
