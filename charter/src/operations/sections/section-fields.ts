import { notice } from "../common-fields.ts";
import { list, object, oneOf, text, time, whole } from "../field.ts";
import { actor } from "../proposals/proposal-fields.ts";

/** Fields of sections, and of what happens to them. */

export const sectionName = text("The name of a section.").example("instructions");
const mutability = oneOf(["fixed", "live", "amendable"]);

export const section = object({
  name: text().example("instructions").told(),
  layer: text(),
  owner: text("Who is responsible for the layer.").example("operator").nullable(),
  heading: text().example("## User Instructions").told().nullable(),
  mutability: mutability.told(),
  amendableBy: list(actor, "Who can change it: `agent`, `user` or `operator`.").told(),
  approvedBy: oneOf(["operator"], "Who approves what others change; null if nobody has to.").told().nullable(),
  scope: oneOf(["agent", "user"], "`agent`: one text for all users. `user`: each user has their own.").told(),
  original: text("The original text; reset goes back to it.").told().nullable(),
  text: text("The current text. Null if it is generated per turn, or if it is per user and no user was given.")
    .told()
    .nullable(),
  rendered: text("As it is in the next prompt, with its heading. Null if it is not in it.").nullable(),
  revision: whole("The number of amendments so far; proposals name it.").told().nullable(),
  updatedAt: time("When it was last amended.").told().nullable(),
  updatedByTurn: text("The turn that last amended it; null if a person did.").told().nullable(),
  digest: text("For a fixed section: the SHA-256 of its text, as pinned in charter.lock. Otherwise null.")
    .told()
    .nullable(),
  notices: list(notice).told(),
}).named("Section");
