import { directory, lock, tokenizer } from "../directory-fields.ts";
import { type Fields, oneOf, text, whole } from "../field.ts";

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
