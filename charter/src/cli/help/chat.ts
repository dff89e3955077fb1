import { codingHelp } from "./directory-options.ts";
import { databaseHelp } from "./prompt-options.ts";

export const help = `charter chat: talk with an agent in the terminal

  charter chat                                  with the only agent there is; where there is none, a demo is made
  charter chat --agent ada --user bo --model anthropic/claude-sonnet-5-5
  charter chat --charter artifact               with an agent that edits its own prompt; made where there is none
  charter chat --charter coder                  with a coding agent, in the directory you are in
  charter chat "what do you remember about me?" one turn, and its answer
  cat questions.txt | charter chat > answers.txt

Nothing needs to be set up. Without a key a script answers, the stand-in: it says so, and really calls the tools. With
ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY or OPENROUTER_API_KEY set, a model of theirs does.

  -a, --agent <name>         an agent of the database
  -c, --charter <name|file>  an agent of this charter, made where there is none: assistant, artifact, sovereign, …
  -u, --user <id>            who you are; else your name on this machine
  -m, --model <name>         provider/model; else the agent's, else what the keys that are set allow
  -s, --session <id|new>     else the newest with this model goes on
      --channel <c>          where the turn comes from, as the agent is told (terminal)
      --lock <file>          compare with this lock (default: charter.lock, where there is one)
${databaseHelp}
${codingHelp}
      --json                 one JSON document for each turn: what it came to

In the conversation:
  /prompt                    what the next request would be made from; /prompt sent: what was really sent, by slot
  /why words                 who wrote these words of the prompt
  /cost                      what the last turn and the session cost, predicted and billed
  /undo                      take back the last amendment of the session
  /approvals, /approve, /reject   what waits for a person
  /reload, /files            of a coding agent: read everything anew; which files its prompt is made of
  /new, /model, /help, /quit

Amendments, refusals and what is held are shown as they happen. Ctrl-C stops an answer, and leaves at the prompt; so does
Ctrl-D. A line that ends in a backslash goes on in the next one.

In a pipe each line is a turn: standard output has the answers and nothing else, standard error the rest.
Exit code 0: every turn was answered. 1: one was not.`;
