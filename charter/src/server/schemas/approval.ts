import { z } from "@hono/zod-openapi";
import { anything, scope, time } from "./name.ts";
import { more } from "./page.ts";
import { refusals } from "./problem.ts";
import { operation } from "./proposal.ts";

const proposal = z.object({
  section: z.string(),
  operation,
  actor: z.enum(["agent", "user", "operator"]),
  reason: z.string().optional(),
  revision: z.int().optional(),
  turn: z.string().optional(),
});

const heldProposal = z
  .object({
    id: z.string(),
    scope,
    section: z.string(),
    proposal,
    refusals,
    before: z.string(),
    after: z.string(),
    at: time,
    status: z.enum(["waiting", "approved", "rejected"]),
    decidedAt: time.nullable(),
    decidedBy: z.string().nullable(),
    decisionReason: z.string().nullable(),
    revision: z.int().nullable(),
  })
  .openapi("HeldProposal", { description: "A proposal no guard refused but a person must approve." });

export const callStatus = z.enum(["waiting", "approved", "rejected", "running", "done", "failed"]);

export const heldCall = z
  .object({
    id: z.string(),
    scope,
    turn: z.string(),
    step: z.int(),
    call: z.string(),
    tool: z.string().openapi({ description: "`acp:<kind>` for a permission that an agent over ACP asked for." }),
    input: anything,
    asks: z.string().optional().openapi({
      description:
        "Only of a permission: what the agent asks to do with a tool of its own, in words. `input` then has `kind`, `title`, `paths`, and the tool's arguments as `input`.",
      example: "asks to run: make",
    }),
    reason: z.string(),
    at: time,
    status: callStatus,
    decidedAt: time.nullable(),
    decidedBy: z.string().nullable(),
    decisionReason: z.string().nullable(),
    takenAt: time.nullable(),
    endedAt: time.nullable(),
    result: anything,
  })
  .openapi("HeldCall", {
    description:
      "A call of a tool that a person must approve; it is then made with the next turn. Or a permission that an agent over ACP asked for: approved, it is allowed once, in the next turn, if the agent asks for the same again.",
  });

export const heldTool = z
  .object({
    id: z.string(),
    agent: z.string(),
    server: z.string().openapi({ description: "The MCP server, by its name in the configuration.", example: "files" }),
    tool: z.string(),
    status: z.enum(["pinned", "waiting", "rejected"]),
    digest: z.string().nullable(),
    definition: z
      .string()
      .nullable()
      .openapi({ description: "What it was offered as, as JSON; null if it never was." }),
    nextDigest: z.string().nullable(),
    nextDefinition: z.string().nullable().openapi({ description: "What its server says it is now, as JSON." }),
    reasons: z.array(z.string()).readonly().openapi({ description: "What the screen found in it." }),
    at: time,
    decidedAt: time.nullable(),
    decidedBy: z.string().nullable(),
    decisionReason: z.string().nullable(),
  })
  .openapi("HeldTool", {
    description:
      "A tool of an MCP server as an agent has it. While it waits it is not offered: its description changed, or the screen found something in it.",
  });

export const approvalList = z
  .object({
    proposals: z.array(heldProposal).readonly(),
    calls: z.array(heldCall).readonly(),
    tools: z.array(heldTool).readonly().openapi({ description: "For operators only." }),
    more,
  })
  .openapi("ApprovalList", { description: "Proposals, calls and tools; as `charter approvals --json`." });

export const heldEither = z.union([heldProposal, heldCall, heldTool]);

export const rejectRequest = z
  .strictObject({ reason: z.string().optional().openapi({ description: "Whoever asks again is told." }) })
  .openapi("RejectRequest", { example: { reason: "Not to strangers." } });
