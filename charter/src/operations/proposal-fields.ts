import { either, flag, list, object, oneOf, text, told, whole } from "./field.ts";

/** Fields that proposals, approvals and amendments share. */

export const refusal = object(
  told({
    guard: text().example("size-limit"),
    because: text().example("“instructions” would have 70,000 bytes; the limit is 65,536."),
    places: list(
      object(told({ at: whole(), end: whole(), line: whole() })),
      "Where in the proposed text: JavaScript string indices, and the line, from 1.",
    )
      .example([{ at: 9, end: 41, line: 2 }])
      .optional(),
    holds: oneOf([true], "It asks for approval instead of refusing.").optional(),
  }),
).named("Refusal", "Why one guard refuses a change.");

const words = {
  content: text("The new text."),
  compact: text(
    "One line, at most 240 characters, that stands for the changed text in the compact edition.",
  ).optional(),
};
const marker = text("The heading of the passage, with its level.").example("## Goals");

/** Change a proposal asks for. Each kind has the fields it reads, and no others. */
export const change = either(
  object(told({ kind: oneOf(["append"]), ...words })),
  object(told({ kind: oneOf(["prepend"]), ...words })),
  object(told({ kind: oneOf(["replace_section"]), marker, ...words })),
  object(told({ kind: oneOf(["rewrite"]), ...words })),
  object(told({ kind: oneOf(["reset"]) })),
  object(told({ kind: oneOf(["revert"]), to: whole("The revision to go back to; 0 is the original.", { least: 0 }) })),
).named(
  "Operation",
  "`replace_section` replaces the passage under the heading `marker`; `rewrite` replaces the whole text.",
);

export const actor = oneOf(["agent", "user", "operator"]);

/** A text, and the revision it is or was made against. */
export const revisionText = object(told({ text: text(), revision: whole() }));

const inert = object(
  told({
    line: whole(),
    what: oneOf(["heading", "separator", "definition", "line", "tag", "fence", "markup", "token", "turn"]),
  }),
);

export const publication = object({
  id: text("The id of the event; the same when it is sent again."),
  state: oneOf(
    ["published", "waiting", "superseded"],
    "`waiting`: no relay took it yet, and it is sent again. `superseded`: someone else's newer one is current.",
  ),
  taken: list(text(), "The relays that took it."),
  missed: list(object({ place: text(), reason: text() }), "Those that did not."),
  conflict: object(
    { ours: text(), theirs: text(), id: text() },
    "Both texts; `id` is the event that is current. Ours is in the history.",
  ).optional(),
}).named("PublicationOutcome", "Whether a core memory's new text was published on its relays.");

/** Outcome of a proposal. */
export const outcomeFields = {
  ...told({
    section: text("The section it is about."),
    verdict: oneOf(
      ["accepted", "unchanged", "refused", "held"],
      "`unchanged`: nothing objects, and the text is the current one already. There is no new revision.",
    ),
    refusals: list(refusal),
    before: text(),
    after: text(),
    diff: text("The change, as a unified diff."),
    revision: whole("The new revision; for `unchanged` the current one.").optional(),
    inert: list(
      inert,
      "Lines that some reader could take for structure: they are escaped in the prompt. A `turn` only looks like the beginning of somebody's turn, and stays as it is.",
    ).optional(),
    unshown: object(
      told({ shown: whole(), missing: whole() }),
      "How many characters the prompt shows of it, and how many it does not.",
    ).optional(),
    held: text("The id to approve or reject it by.").optional(),
    repeated: flag("The proposal was made before, under the same key: this is its outcome.").optional(),
  }),
  publication: publication.optional(),
  against: whole("Of a refusal because the section has changed: the revision it was made against.").optional(),
  standing: revisionText.says("Of a refusal: the section's current text.").optional(),
  proposed: revisionText
    .says("Of a refusal: the proposed text, and the revision it was made against; null where it is not known.")
    .nullable()
    .optional(),
};
