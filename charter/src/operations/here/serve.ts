import { settings } from "../directory-fields.ts";
import { flag, list, object, record, text, time, type ValuesOf } from "../field.ts";
import { operation } from "../operation.ts";

const database = text("Where it is.").example(".charter/charter.db");
const automata = list(text(), "The agents that live by themselves here.");
const usualOptions = { json: "print the banner as one line of JSON" };

/** What start, serve and work all take. What they are given is read as the settings are, with the same words. */
const service = {
  model: text("As provider/model, for agents that name none.").option("name", "m").optional(),
  window: text("The most tokens that model takes (default: what is known or learned).").option("tokens").optional(),
  zone: text("The time zone of users who have none (default: this machine's).").option("zone").optional(),
  settings: settings.optional(),
  trust: flag("Use the settings files here, or go on without, for this command only.").orNot().optional(),
};
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
    quiet,
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

export const operations = [start, serve, work];
