import { type Fields, flag, list, object, oneOf, text, type ValuesOf, whole } from "./field.ts";

/** Fields that many operations share. */

/** Which stretch of a long list. */
export const page = {
  limit: whole("How many rows.", { least: 1, most: 1000 }).usual(50).option("n"),
  offset: whole("How many rows to pass over.", { least: 0 }).usual(0).option("n"),
};

/** What a list says of itself besides its rows. */
export const more = flag("Whether the list goes on after these rows.").told();
export const total = whole("How many rows there are in all, on every page together.").told();

export const agent = text("The agent's name.").example("ada").option("name", "a");

/** Whose copy an operator asks about. A user is always themselves. */
export const user = text("The user (default: the agent's own, for all).").example("bo").option("id", "u").optional();

/** A command is typed by whoever may: it can say who that was. */
export const by = text("Who does it.").option("name").only("command").optional().usual("operator");

/** In a user's place, whoever writes to an agent's inbox. A model names nobody: it is no argument of a tool. */
export const counterpart = text("In place of a user, whoever writes to an agent's inbox: an address, or shop/bo.")
  .option("name")
  .only("command")
  .optional();

export const scope = object({ agent: text().told(), user: text().told().optional() })
  .named("Scope", "An agent's own text, or its text for one user.")
  .example({ agent: "ada" });

/** Something whoever asked should know. */
export const notice = object({
  code: text().told(),
  section: text().told().optional(),
  message: text().told(),
}).named("Notice", "Something the operator should know.");

export const attachment = {
  digest: text("SHA-256 of its bytes: `GET /api/agents/{agent}/attachments/{digest}`.").told(),
  mediaType: text().told(),
  bytes: whole().told(),
  name: text().told().optional(),
  width: whole().told().optional(),
  height: whole().told().optional(),
  pages: whole().told().optional(),
};

/** Options of commands that work in a directory of this machine. */

/** A text that is there where it is given. */
export function filled(says: string) {
  return text(says, { form: /[\s\S]/, reason: "is empty" });
}

export const lock = text("The lock file to compare with (default: charter.lock, if there is one).")
  .option("file")
  .optional();

/** Which settings file, for commands that ask models. */
export const settings = filled("The settings file (default: charter.config.ts here, if there is one that is trusted).")
  .option("file")
  .optional();

export const tokenizer = text("The way tokens are counted: o200k_base (default), cl100k_base or estimate.")
  .option("t")
  .optional();

/** Where a coding agent works, and where its files for every project are. */
export const places = {
  cwd: text("The working directory (default: the current one).").option("dir").optional(),
  home: text("Your own files for every project (default: ~/.charter/agent; with --config .pi ~/.pi/agent).")
    .option("dir")
    .optional(),
  config: text("A project's configuration directory: .charter (default), .sf, .pi, ….").option("name").optional(),
};

/** What of that directory is used. */
export const directory = {
  ...places,
  trust: flag("Trust the project, or not, for this command only (default: what charter trust recorded).")
    .orNot()
    .optional(),
  tools: text("Active built-in tools (default: read,bash,edit,write; also grep, find, ls).").option("a,b").optional(),
  skill: list(text(), "A skill or a directory of skills.").option("path").optional(),
  extension: list(text(), "An extension.").option("file").optional(),
  allow: list(text(), "A further directory the file tools may use; bash is not confined.").option("dir").optional(),
};

export type PlaceValues = ValuesOf<typeof places>;
export type DirectoryValues = ValuesOf<typeof directory>;

/** Options of the commands that assemble a prompt. */

export const edition = oneOf(["full", "compact"], "The edition (default: the one that fits).");
export const channel = text("The channel of the turn: web, telegram, scheduled or terminal.")
  .example("web")
  .option("c")
  .optional();

const input = text("The facts of the turn, as JSON (docs/facts.md); default: an empty turn, now.")
  .option("file|-", "i")
  .only("command")
  .optional();

/** How a prompt is made on this machine: from which facts, with which limits. */
export const assembly = {
  input,
  limitTokens: whole("Trim the prompt to so many tokens.", { least: 0 }).option("n").only("command").optional(),
  limitChars: whole("Trim the prompt to so many characters.", { least: 0 }).option("n").only("command").optional(),
  lock: lock.only("command"),
  timeLimit: whole("The timeout of a source, in seconds (default: 10); after it the source is unavailable.", {
    least: 0,
  })
    .option("s")
    .only("command")
    .optional(),
};

/** Where there is no database: a charter and its facts. */
export const bare = {
  charter: text(
    "Instead of an agent: artifact, assistant, sovereign, coder, resident, one of charter.config.ts, or your own .ts or .js file.",
  )
    .option("name|file", "c")
    .only("command")
    .optional(),
  tokenizer: tokenizer.only("command"),
};

/** Where a coding agent works, and what of that directory is used. */
export const inDirectory = onlyCommand(directory);

function onlyCommand<Some extends Fields>(fields: Some): Some {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.only("command")])) as Some;
}
