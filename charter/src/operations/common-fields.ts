import { flag, object, text, whole } from "./field.ts";

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
