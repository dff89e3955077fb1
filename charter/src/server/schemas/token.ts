import { z } from "@hono/zod-openapi";
import { time, user } from "./name.ts";
import { more } from "./page.ts";

const facts = {
  id: z.string(),
  name: z.string().openapi({ example: "Bo's phone" }),
  kind: z.enum(["operator", "user", "agent", "inbox", "chat", "sign-in"]),
  agent: z.string().nullable(),
  user: z.string().nullable(),
  createdAt: time,
  expiresAt: time.nullable(),
  lastUsedAt: time.nullable(),
  revokedAt: time.nullable(),
};

const token = z.object(facts).openapi("Token", { description: "A key to the API. Only its digest is kept." });

export const tokenList = z.object({ tokens: z.array(token).readonly(), more }).openapi("TokenList");

export const createdToken = z
  .object({ ...facts, secret: z.string().openapi({ example: "charter_…" }) })
  .openapi("CreatedToken", { description: "The secret is shown only this once." });

const common = {
  name: z.string().min(1).openapi({ description: "A name to recognise it by." }),
  expiresAt: z.string().optional().openapi({ description: "An ISO 8601 time; without one it does not end." }),
};
const agent = z.string().openapi({ description: "Only for this agent." });

/** What each kind says of whom it is for. */
export const newToken = z
  .discriminatedUnion("kind", [
    z.strictObject({ ...common, kind: z.literal("operator") }),
    z.strictObject({ ...common, kind: z.literal("user"), user: z.string(), agent: agent.optional() }),
    z.strictObject({ ...common, kind: z.literal("agent"), agent, user: z.string().optional() }),
    z.strictObject({
      ...common,
      name: z.string().openapi({
        description: "Senders are called after it (“shop/bo”): letters, digits, “.”, “_” and “-”, at most 64.",
      }),
      kind: z.literal("inbox"),
      agent: z.string().openapi({ description: "The agent that is written to." }),
    }),
  ])
  .openapi("NewToken", { example: { name: "Bo's phone", kind: "user", user: "bo" } });

export const newSignInLink = z.strictObject({ user }).openapi("NewSignInLink", { example: { user: "bo" } });

export const signInLink = z
  .object({
    agent: z.string(),
    user: z.string(),
    url: z.string().openapi({ example: "https://charter.example.org/chat#charter_…" }),
    expiresAt: time,
  })
  .openapi("SignInLink", { description: "Signs one user in at the page for users: once, within ten minutes." });

export const revokeResult = z.object({ revoked: z.string() }).openapi("RevokeResult");
