import { z } from "@hono/zod-openapi";
import { operationKinds } from "../../amend/operation.ts";
import { refusals } from "./problem.ts";

const content = z.string().openapi({ description: "The new text." });
const compact = z.string().optional().openapi({
  description: "One line, at most 240 characters, that stands for the changed text in the compact edition.",
});
const marker = z.string().openapi({ description: "The heading of the passage, with its level.", example: "## Goals" });
const to = z.int().min(0).openapi({ description: "The revision to go back to; 0 is the original." });

/** As in code: what a proposal would do, with what it needs and nothing it would not read. */
export const operation = z
  .discriminatedUnion(
    "kind",
    [
      z.strictObject({ kind: z.literal("append"), content, compact }),
      z.strictObject({ kind: z.literal("prepend"), content, compact }),
      z.strictObject({ kind: z.literal("replace_section"), marker, content, compact }),
      z.strictObject({ kind: z.literal("rewrite"), content, compact }),
      z.strictObject({ kind: z.literal("reset") }),
      z.strictObject({ kind: z.literal("revert"), to }),
    ],
    { error: `Invalid operation: expected an object whose kind is one of ${operationKinds.join(", ")}` },
  )
  .openapi("Operation", {
    description:
      "`replace_section` replaces the passage under the heading `marker`; `rewrite` replaces the whole text.",
  });

const reason = z.string().optional().openapi({ description: "Why; it is stored with the amendment." });
const revision = z.int().min(0).optional().openapi({
  description: "The revision you have read. If the section has another by now, the answer is 409, with both texts.",
});
const whose = z
  .string()
  .optional()
  .openapi({ description: "The user, for a section that each user has their own copy of." });
const dryRun = z.boolean().optional().openapi({ description: "Check the proposal without making it." });

export const newProposal = z
  .strictObject({
    section: z.string().openapi({ example: "instructions" }),
    operation,
    reason,
    revision,
    user: whose,
    dryRun,
    quote: z
      .boolean()
      .optional()
      .openapi({ description: "Check the proposal without making it, and estimate its cost." }),
  })
  .openapi("NewProposal", {
    example: { section: "instructions", operation: { kind: "append", content: "- Answer in French." }, user: "bo" },
  });

export const revertRequest = z
  .strictObject({
    to,
    reason,
    revision,
    user: whose,
    dryRun,
  })
  .openapi("RevertRequest", { example: { to: 3 } });

export const idempotencyKey = z.object({
  "idempotency-key": z.string().min(1).optional().openapi({
    description: "The same key is the same proposal: one that is sent again is not made again.",
    example: "9f1c",
  }),
});

const price = z.object({ now: z.number(), perTurn: z.number() }).openapi({ description: "In dollars." });

const quote = z
  .object({
    section: z.string(),
    happens: z.enum(["update", "fold", "baseline", "held"]),
    tokens: z.object({ before: z.number(), after: z.number(), rewritten: z.number(), carried: z.number() }),
    price: price.nullable(),
    breakEven: z.number().nullable(),
    receiver: z.string(),
    says: z.string(),
    session: z.string().nullable(),
    cold: z.boolean(),
  })
  .openapi("Quote", { description: "What a change would cost before it is made." });

export const publication = z
  .object({
    id: z.string().openapi({ description: "The id of the event; the same when it is sent again." }),
    state: z.enum(["published", "waiting", "superseded"]).openapi({
      description:
        "`waiting`: no relay took it yet, and it is sent again. `superseded`: someone else's newer one is current.",
    }),
    taken: z.array(z.string()).readonly().openapi({ description: "The relays that took it." }),
    missed: z
      .array(z.object({ place: z.string(), reason: z.string() }))
      .readonly()
      .openapi({
        description: "Those that did not.",
      }),
    conflict: z
      .object({ ours: z.string(), theirs: z.string(), id: z.string() })
      .optional()
      .openapi({ description: "Both texts; `id` is the event that is current. Ours is in the history." }),
  })
  .openapi("PublicationOutcome", { description: "Whether a core memory's new text was published on its relays." });

export const proposalOutcome = z
  .object({
    verdict: z.enum(["accepted", "unchanged", "refused", "held"]).openapi({
      description: "`unchanged`: nothing objects, and the text is the current one already. There is no new revision.",
    }),
    refusals,
    before: z.string(),
    after: z.string(),
    diff: z.string().openapi({ description: "The change, as a unified diff." }),
    revision: z.int().optional().openapi({ description: "The new revision; for `unchanged` the current one." }),
    inert: z
      .array(
        z.object({
          line: z.int(),
          what: z.enum(["heading", "separator", "definition", "line", "tag", "fence", "markup", "token", "turn"]),
        }),
      )
      .readonly()
      .optional()
      .openapi({
        description:
          "Lines that some reader could take for structure: they are escaped in the prompt. A `turn` only looks like the " +
          "beginning of somebody's turn, and stays as it is.",
      }),
    unshown: z
      .object({ shown: z.int(), missing: z.int() })
      .optional()
      .openapi({ description: "How many characters the prompt shows of it, and how many it does not." }),
    held: z.string().optional().openapi({ description: "The id to approve or reject it by." }),
    repeated: z
      .literal(true)
      .optional()
      .openapi({ description: "The proposal was made before, under the same key: this is its outcome." }),
    quote: quote.optional(),
    publication: publication.optional(),
  })
  .openapi("ProposalOutcome", { description: "The outcome of a proposal; as `charter amend --json`." });
