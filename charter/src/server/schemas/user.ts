import { z } from "@hono/zod-openapi";
import { time } from "./name.ts";
import { more } from "./page.ts";

const zone = z.string().nullable().openapi({
  description: "A time zone of the user's own; null is the operator's default.",
  example: "Europe/Berlin",
});

export const user = z
  .object({ id: z.string().openapi({ example: "bo" }), zone, createdAt: time })
  .openapi("User", { description: "Someone an agent works for." });

export const userList = z
  .object({ users: z.array(user).readonly(), more })
  .openapi("UserList", { description: "By id; as `charter users --json`." });

export const agentUsers = z
  .object({ users: z.array(z.string()).readonly(), more })
  .openapi("AgentUsers", { description: "Everyone an agent has to do with, set up as a user or not; by id." });

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
    scrubbed: z.boolean().openapi({ description: "The words cannot be read in the database's files either." }),
  })
  .openapi("EraseResult", { description: "What is gone, by table; as `charter erase --json`." });

export const me = z
  .object({
    id: z.string().openapi({ description: "What the caller is called in limits and logs; no secret." }),
    kind: z.enum(["operator", "user", "agent"]),
    by: z.enum(["token", "jwt", "cookie"]),
    user: z.string().nullable().openapi({ description: "Who is asking; of an operator: who they are when they chat." }),
    agent: z.string().nullable().openapi({ description: "The only agent this token opens, where there is one." }),
    zone: zone.openapi({ description: "The time zone of that user." }),
  })
  .openapi("Me", { description: "Who is asking, as their token says." });

export const meChange = z.strictObject({ zone }).openapi("MeChange", {
  description: "A user's own time zone; null takes it away.",
  example: { zone: "Asia/Kolkata" },
});
