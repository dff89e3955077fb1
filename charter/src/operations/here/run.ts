import { askModes } from "../../agent/turn/ask-reason.ts";
import {
  directory,
  either,
  filled,
  flag,
  list,
  lock,
  object,
  oneOf,
  openObject,
  record,
  settings,
  text,
  time,
  type ValuesOf,
  whole,
} from "../field.ts";
import { operation } from "../operation.ts";

const database = text("Where it is.").example(".charter/charter.db");
const automata = list(text(), "The agents that live by themselves here.");
const usualOptions = { json: "print the banner as one line of JSON" };

/** Options that start, serve and work share. Their values override the settings file and have the same names. */
const service = {
  model: text("As provider/model, for agents that name none.").option("name", "m").optional(),
  window: text("The most tokens that model takes (default: what is known or learned).").option("tokens").optional(),
  zone: text("The time zone of users who have none (default: this machine's).").option("zone").optional(),
  settings: settings.optional(),
  trust: flag("Use the settings files here, or go on without, for this command only.").orNot().optional(),
};
const openai = flag("Serve agents as models of OpenAI's API, under /v1: for chat pages and SDKs.").optional();
const quiet = flag("Log only errors.").optional();

const start = operation({
  name: "here.start",
  says: "Run everything on this machine",
  about:
    "Prints a link that signs you in as the operator. If there is no agent, an assistant is created. Only this machine can connect; use charter serve for others. Ctrl-C waits for running turns; a second Ctrl-C stops them.",
  command: "start",
  examples: [
    ["charter start", "server, web chat, schedules, and Telegram if it is configured"],
    ["charter start --demo", "an example with made-up data to look around in, cut off from everything else"],
  ],
  notes:
    "Flags override the environment (CHARTER_PORT, CHARTER_MODEL, CHARTER_ZONE, TELEGRAM_BOT_TOKEN, CHARTER_JWT_SECRET …), which overrides charter.config.ts: docs/assistant.md",
  usualOptions,
  who: "operator",
  input: {
    port: text("The port (default: 4747, or the next free one); 0: any free port.").option("n", "p").optional(),
    host: text("The address to listen on: of this machine alone (default: 127.0.0.1).").option("address").optional(),
    demo: flag(
      "Show a demo: its own database (.charter/demo.db), the stand-in alone, no settings from here.",
    ).optional(),
    fresh: flag("With --demo: make it anew.").optional(),
    noOpen: flag("Do not open the page in a browser.").optional(),
    url: text("The public address, if there is a proxy or a tunnel in front.").option("address").optional(),
    ...service,
    openai,
    verbose: flag("Log every request, not only errors.").optional(),
  },
  answer: object({
    url: text("Where it listens.").example("http://127.0.0.1:4747"),
    link: text("Signs the operator in, once, within ten minutes."),
    database,
    agents: list(text()),
    model: text("Who answers for the first agent; null where none can be asked.").nullable(),
    telegram: record(text().nullable(), "The name of each agent's bot; null where it is not known yet."),
    automata,
    demo: object({
      made: time(),
      tries: list(object({ agent: text(), say: text(), result: text() }), "What to say to whom."),
    }).optional(),
  }),
});

const serve = operation({
  name: "here.serve",
  says: "Run the HTTP API and the web chat, for other machines to reach",
  about:
    "Any number of servers can share one PostgreSQL database. Schedules, automata, and bots that poll, run in charter work. Put the server behind an https proxy. charter tokens sign-in creates a sign-in link, charter tokens create an API token.",
  command: "serve",
  examples: ["charter serve --database postgres://charter@db/charter --host 0.0.0.0 --url https://charter.example.org"],
  usualOptions,
  who: "operator",
  input: {
    host: text("The address to listen on; 127.0.0.1: this machine only.").option("address").optional(),
    port: text("The port (default: 4747).").option("n", "p").optional(),
    url: text("The public address: for links, cookies and Telegram's webhook.").option("address").optional(),
    ...service,
    openai,
    quiet,
    migrate: flag("Bring an older database on first: where this is the only process.").optional(),
  },
  answer: object({ url: text("Where it listens."), database }),
});

const work = operation({
  name: "here.work",
  says: "Run schedules, Telegram bots and automata, without HTTP",
  about:
    "Any number of workers can share one database: each scheduled run is made once, each message answered once, and another worker takes over the work of one that dies. Ctrl-C waits for running turns.",
  command: "work",
  examples: ["charter work --database postgres://charter@db/charter"],
  usualOptions,
  who: "operator",
  input: { ...service, url: text("The public address: for links.").option("address").optional(), quiet },
  answer: object({ database, telegram: list(text(), "The agents with a bot."), automata }),
});

export type StartInput = ValuesOf<typeof start.input>;
export type ServeInput = ValuesOf<typeof serve.input>;
export type WorkInput = ValuesOf<typeof work.input>;

/** Options that say who talks with which agent. */
const talk = {
  agent: filled("An agent in the database.").option("name", "a").optional(),
  charter: filled("An agent with this charter, created if there is none: assistant, artifact, coder, sovereign, ….")
    .option("name|file", "c")
    .optional(),
  user: filled("Who you are (default: your name on this machine).").option("id", "u").optional(),
  model: filled("As provider/model (default: the agent's, else one your API keys allow).")
    .option("name", "m")
    .optional(),
  window: whole("The most tokens the model takes (default: the agent's, else what is known or learned).", { least: 1 })
    .option("tokens")
    .optional(),
};
const ask = oneOf(askModes).optional();

const chat = operation({
  name: "here.chat",
  says: "Chat with an agent in the terminal",
  about:
    "No setup is needed. Without an API key a scripted stand-in answers: it says so, and really calls the tools. To use a model, set ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY or OPENROUTER_API_KEY.",
  command: "chat <words...?>",
  examples: [
    ["charter chat", "with the only agent; if there is none, a demo agent is created"],
    "charter chat --agent ada --user bo --model anthropic/claude-sonnet-5-5",
    ["charter chat --charter artifact", "with an agent that edits its own prompt; created if there is none"],
    ["charter chat --charter coder", "with a coding agent, in the current directory"],
    ['charter chat "what do you remember about me?"', "run one turn and print the reply"],
    ['charter chat --file cat.png "what is this?"', "with a picture or a file"],
    "cat questions.txt | charter chat > answers.txt",
  ],
  notes: `In the conversation:
  /prompt                    what the next request will contain; /prompt sent: what was sent last
  /why text                  find where a text in the prompt comes from
  /cost                      the cost of the last turn and the session, predicted and billed
  /undo                      revert the session's last amendment
  /approvals                 list proposals, calls and tools waiting for approval; /approve, /reject decide
  /file path [words]         send a picture or a file
  /reload, /files            for a coding agent: read all files again; list the files in its prompt
  /new, /model, /help, /quit

Amendments, refusals and approvals are shown as they happen. A call that needs you is asked about in place: y runs it once, a allows the tool in this session until text of another source comes, n rejects it. Ctrl-C stops a reply; at the prompt it quits, as Ctrl-D does. A line that ends in a backslash continues on the next line.

In a pipe each line is a turn: replies go to standard output, everything else to standard error.
Exit code 0: every turn was answered. 1: at least one was not.`,
  usualOptions: { json: "print one JSON document per turn" },
  who: "operator",
  input: {
    words: text("What to say.").optional(),
    ...talk,
    session: filled("The session to continue (default: the newest with this model).").option("id|new", "s").optional(),
    channel: filled("The channel the agent is told (default: terminal).").option("c").optional(),
    file: list(text(), "A picture or a file that comes with the words.").option("path").optional(),
    ask: ask.says(
      "Be asked before calls: never, before those with effects outside (writes), or always (default: writes with a coding agent on a terminal, else never); what untrusted text holds is always asked.",
    ),
    lock,
    settings,
    ...directory,
  },
  answer: either(
    openObject({ turn: text(), session: text(), reply: text().nullable() }, "A turn's outcome."),
    object({ problem: object({ code: text(), message: text(), hint: text() }) }, "Why there was no turn."),
  ),
});

// The editor says where each session works, so there is no `cwd`.
const { cwd: _, ...editorDirectory } = directory;

const acp = operation({
  name: "here.acp",
  says: "Run an agent in an editor",
  about:
    "The editor starts this command and speaks the Agent Client Protocol with it, version 1 or 2, over standard input and output; docs/editors.md has the settings to paste. Everything else is printed on standard error. When the editor leaves, running turns are stopped.",
  command: "acp",
  examples: [
    ["charter acp", "the only agent; if there is none, a demo agent is created"],
    ["charter acp --charter coder", "a coding agent, in the directory each session is opened for"],
    "charter acp --agent ada --user bo --database ~/charter.db",
  ],
  notes:
    "A directory that brings its own prompt, skills or extensions is asked about in the editor, with the first prompt; charter trust allows it permanently. Exit code 0: the editor left. 1: what it sent could not be read.",
  usualOptions: { json: false },
  who: "operator",
  input: {
    ...talk,
    ask: ask.says("The mode sessions begin in (default: writes with a coding agent)."),
    lock,
    settings,
    ...editorDirectory,
  },
  answer: object({}),
});

const probe = operation({
  name: "here.probe",
  says: "Find out where an agent takes a system prompt",
  about: `Starts the agent in an empty directory, with PATH, an empty home and no keys of yours. Asks it what it can, in version 2 and 1 of the Agent Client Protocol. Then opens a session for each slot it advertises, with a code word in it, and takes a turn. A model on this machine answers in place of a real one (Anthropic, OpenAI and Gemini APIs), so nothing is billed, and the report says where the word was in that model's request:

  system role        the agent treats it as instructions
  user message       the model reads it, with the weight of what a user says
  nowhere            the agent asked the model without it
  unknown            the agent did not ask this model: no session, another provider, or a sign-in is needed`,
  command: "acp probe -- <program...>",
  examples: [
    "charter acp probe -- npx @google/gemini-cli --acp",
    "charter acp probe --env MY_MODEL=small -- my-agent acp",
    "charter acp probe --all --json -- my-agent acp",
  ],
  hasOwnPage: true,
  notes: `The command goes after “--”. It runs with your rights, as every program you start does, and in another directory: name files by their whole path.
Exit code 0: the word reached the model from the slot that Charter would use. 1: it did not, or that is unknown.`,
  usualOptions: { database: false },
  who: "operator",
  input: {
    program: list(text(), "A command after “--”, as in: -- npx my-agent.", { least: 1 }),
    env: list(
      text("NAME=value.", { form: /^[^=]+=/, reason: "must be NAME=value" }),
      "A variable of the agent's environment.",
    )
      .option("NAME=value")
      .optional(),
    inherit: list(text(), "The same, with the value it has here: a key, for an agent that starts only with its own.")
      .option("NAME")
      .optional(),
    signIn: text("The way to sign in (default: each that takes an API key, with a dummy key, if it is asked for).")
      .option("id")
      .optional(),
    all: flag("Also try the slots that it does not advertise.").optional(),
    timeLimit: whole("Seconds for each start of the agent.", { least: 1 }).usual(60).option("s"),
  },
  answer: openObject({
    command: list(text()),
    name: text("As it calls itself.").nullable(),
    version: text().nullable(),
    signIns: list(text()),
  }),
});

export type ChatInput = ValuesOf<typeof chat.input>;
export type AcpInput = ValuesOf<typeof acp.input>;
export type ProbeInput = ValuesOf<typeof probe.input>;

export const operations = [start, serve, work, chat, acp, probe];
