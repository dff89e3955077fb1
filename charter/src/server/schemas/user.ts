import { z } from "@hono/zod-openapi";
import { time } from "./name.ts";
import { more, total } from "./page.ts";

const zone = z.string().nullable().openapi({
  description: "A time zone of the user's own; null is the operator's default.",
  example: "Europe/Berlin",
});

export const user = z
  .object({ id: z.string().openapi({ example: "bo" }), zone, createdAt: time })
  .openapi("User", { description: "Someone an agent works for." });

export const userList = z
  .object({ users: z.array(user).readonly(), more, total })
  .openapi("UserList", { description: "By id; as `charter users --json`." });

export const agentUsers = z
  .object({ users: z.array(z.string()).readonly(), more, total })
  .openapi("AgentUsers", { description: "All users that the agent has data of, by id." });

export const userChange = z
  .strictObject({ zone: zone.optional() })
  .openapi("UserChange", { description: "What is left out stays.", example: { zone: "Europe/Berlin" } });

export const eraseResult = z
  .object({
    user: z.string(),
    erased: z.boolean().openapi({ description: "False when nothing was kept about them." }),
    agents: z.array(z.string()).readonly(),
    rows: z
      .record(z.string(), z.int())
      .readonly()
      .openapi({ example: { memories: 3, turns: 12 } }),
    directories: z
      .array(z.string())
      .readonly()
      .openapi({ description: "Directories of agents over ACP on this machine, which are gone as well." }),
    scrubbed: z.boolean().openapi({ description: "The text is gone from the database's files as well." }),
  })
  .openapi("EraseResult", { description: "What was erased, by table; as `charter erase --json`." });

export const me = z
  .object({
    id: z.string().openapi({ description: "What the caller is called in limits and logs; no secret." }),
    kind: z.enum(["operator", "user", "agent"]),
    by: z.enum(["token", "jwt", "cookie", "chat-cookie"]),
    user: z.string().nullable().openapi({ description: "Who is asking; of an operator: who they are when they chat." }),
    agent: z.string().nullable().openapi({ description: "The only agent this token opens, where there is one." }),
    zone: zone.openapi({ description: "The time zone of that user." }),
    command: z
      .object({ name: z.string(), options: z.string() })
      .optional()
      .openapi({
        description: "For operators: how the command is typed where the server runs, and how it reaches this database.",
        example: { name: "npx charter", options: "" },
      }),
    demo: z.literal(true).optional().openapi({ description: "This server is a demo: everything in it is made up." }),
    tries: z
      .array(z.object({ agent: z.string(), say: z.string(), result: z.string() }))
      .readonly()
      .optional()
      .openapi({ description: "In a demo: what to say to which agent, and what happens then." }),
  })
  .openapi("Me", { description: "Who is asking, as their token says." });

export const meChange = z.strictObject({ zone }).openapi("MeChange", {
  description: "A user's own time zone; null takes it away.",
  example: { zone: "Asia/Kolkata" },
});

export const chatPage = z
  .object({
    agent: z.object({
      name: z.string(),
      label: z.string().nullable().openapi({ description: "What people call it, where that is another name." }),
    }),
    user: z.string(),
    zone: z.string().nullable(),
    session: z
      .object({ id: z.string(), startedAt: time, lastAt: time })
      .nullable()
      .openapi({ description: "The session that the next turn on the web continues; null: a new one starts." }),
    sections: z
      .array(z.object({ name: z.string(), heading: z.string().nullable(), revision: z.int() }))
      .readonly()
      .openapi({ description: "The user's own, which they may change." }),
    telegram: z.object({
      possible: z
        .boolean()
        .openapi({ description: "This server knows the agent's bot: a code comes with an address." }),
      linked: z.int().openapi({ description: "How many chats are linked." }),
    }),
    files: z
      .object({ kinds: z.array(z.string()).readonly(), maxBytes: z.int(), maxCount: z.int() })
      .nullable()
      .openapi({ description: "Which pictures and files come with a turn, how large and how many; null: none." }),
    waiting: z.int().openapi({ description: "How many approvals wait for the user; 100 means 100 or more." }),
    standIn: z
      .boolean()
      .openapi({ description: "A script stands in for a model: it answers, and understands little." }),
  })
  .openapi("ChatPage", { description: "What the page for users shows first." });

const rows = z.array(z.record(z.string(), z.unknown())).readonly();

export const ownExport = z
  .object({
    user: z.string(),
    exportedAt: time,
    zone: z.string().nullable(),
    agents: z
      .array(
        z.object({
          agent: z.string(),
          standing: rows.openapi({ description: "Their instructions, each with its history." }),
          held: rows,
          calls: rows,
          memories: rows,
          turns: rows,
          attachments: rows.openapi({ description: "Pictures and files, each once by its digest, as base64." }),
          sessions: rows,
          schedules: rows,
          runs: rows,
          links: rows,
          identities: rows.openapi({ description: "Who they are at the issuer they sign in at." }),
          updates: rows,
          dispatches: rows,
        }),
      )
      .readonly(),
  })
  .openapi("OwnExport", { description: "All data of a user. What the operator wrote is not in it." });

export const eraseRequest = z
  .strictObject({
    confirm: z.string().optional().openapi({ description: "The user's id, to confirm: this cannot be undone." }),
    dryRun: z.boolean().optional().openapi({ description: "Only report what would be erased." }),
  })
  .openapi("EraseRequest", { example: { confirm: "bo" } });

export const ownErasure = z
  .object({
    user: z.string(),
    erased: z.boolean(),
    agents: z.array(z.string()).readonly(),
    rows: z.record(z.string(), z.int()).readonly(),
  })
  .openapi("OwnErasure", { description: "What was erased, or would be, by table." });
