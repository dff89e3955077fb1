import { z } from "@hono/zod-openapi";
import { refusals } from "./problem.ts";

export const operation = z
  .enum(["append", "prepend", "replace", "replace_section", "rewrite", "reset", "revert"])
  .openapi({
    description: "`replace` (also `replace_section`) gives new words to the passage under the heading `marker`.",
  });

const reason = z.string().optional().openapi({ description: "Why; it is kept with the amendment." });
const whose = z.string().optional().openapi({ description: "Whose copy of a section that is each user's own." });
const dryRun = z.boolean().optional().openapi({ description: "Only judge it: nothing is kept." });

export const newProposal = z
  .strictObject({
    section: z.string().openapi({ example: "instructions" }),
    operation,
    content: z.string().optional().openapi({ description: "The words, of append, prepend, replace and rewrite." }),
    marker: z.string().optional().openapi({ description: "The heading, of replace.", example: "## Goals" }),
    to: z.int().min(0).optional().openapi({ description: "The revision to go back to, of revert; 0 is the original." }),
    reason,
    revision: z.int().min(0).optional().openapi({
      description: "The revision you have read. If another stands by now, the answer is 409, with both texts.",
    }),
    user: whose,
    dryRun,
    quote: z.boolean().optional().openapi({ description: "Only judge it, and say what it would cost." }),
  })
  .openapi("NewProposal", {
    example: { section: "instructions", operation: "append", content: "- Answer in French.", user: "bo" },
  });

export const revertRequest = z
  .strictObject({
    revision: z.int().min(0).openapi({ description: "The revision whose words come back; 0 is the original." }),
    reason,
    user: whose,
    dryRun,
  })
  .openapi("RevertRequest", { example: { revision: 3 } });

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

export const proposalOutcome = z
  .object({
    verdict: z.enum(["accepted", "unchanged", "refused", "held"]).openapi({
      description: "`unchanged`: nothing objects, and every word stands already. It becomes no revision.",
    }),
    refusals,
    before: z.string(),
    after: z.string(),
    diff: z.string().openapi({ description: "The change, as a unified diff." }),
    revision: z
      .int()
      .optional()
      .openapi({ description: "The revision it became; of `unchanged` the one that stands." }),
    inert: z
      .array(
        z.object({
          line: z.int(),
          what: z.enum(["heading", "separator", "line", "tag", "fence", "markup"]),
        }),
      )
      .readonly()
      .optional()
      .openapi({ description: "Lines that some reader could take for structure: they are escaped in the prompt." }),
    held: z.string().optional().openapi({ description: "The id to approve or reject it by." }),
    repeated: z.literal(true).optional().openapi({ description: "It had been settled before, under the same key." }),
    quote: quote.optional(),
  })
  .openapi("ProposalOutcome", { description: "What became of a proposal; as `charter amend --json`." });
