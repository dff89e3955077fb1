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

const invitationFacts = {
  id: z.string(),
  agent: z.string().openapi({ example: "ada" }),
  user: z.string().openapi({ example: "bo" }),
  state: z.enum(["open", "used", "revoked", "expired"]),
  createdAt: time,
  expiresAt: time,
  usedAt: time.nullable(),
  revokedAt: time.nullable(),
};

const invitation = z
  .object(invitationFacts)
  .openapi("Invitation", { description: "That a user may come to an agent: some days, once." });

export const invitationList = z
  .object({ invitations: z.array(invitation).readonly(), more })
  .openapi("InvitationList", { description: "Oldest first, without their links." });

export const newInvitations = z
  .strictObject({
    people: z
      .array(z.strictObject({ user: z.string(), zone: z.string().optional() }))
      .min(1)
      .max(1000),
    days: z.int().optional().openapi({ description: "How many days each is good; 7, unless given, at most 90." }),
    again: z.boolean().optional().openapi({
      description: "New invitations also for who was invited before; an open one ends.",
    }),
  })
  .openapi("NewInvitations", { example: { people: [{ user: "bo" }, { user: "cy", zone: "Europe/Berlin" }] } });

export const createdInvitations = z
  .object({
    invitations: z
      .array(
        z.object({
          ...invitationFacts,
          url: z.string().openapi({ example: "https://charter.example.org/chat/invitation#…" }),
        }),
      )
      .readonly(),
    already: z
      .array(invitation)
      .readonly()
      .openapi({ description: "Who came by an invitation, or has an open one: they were left alone." }),
  })
  .openapi("CreatedInvitations", { description: "All, or nobody was invited. Each link is shown only this once." });

export const revokedInvitations = z
  .object({ invitations: z.array(invitation).readonly() })
  .openapi("RevokedInvitations");

const boundPerson = z
  .object({ issuer: z.string(), subject: z.string(), agent: z.string(), user: z.string(), at: time })
  .openapi("BoundPerson", { description: "A person of an issuer, and the user they are with an agent." });

export const identityList = z.object({ identities: z.array(boundPerson).readonly(), more }).openapi("IdentityList");

export const unboundIdentities = z
  .object({ identities: z.array(boundPerson).readonly() })
  .openapi("UnboundIdentities", { description: "Who signs in as this user no longer." });
