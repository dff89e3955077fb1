import { z } from "@hono/zod-openapi";
import { time } from "./name.ts";
import { more } from "./page.ts";

const facts = {
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
  .object(facts)
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
        z.object({ ...facts, url: z.string().openapi({ example: "https://charter.example.org/chat/invitation#…" }) }),
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

const identity = z
  .object({ issuer: z.string(), subject: z.string(), agent: z.string(), user: z.string(), at: time })
  .openapi("Identity", { description: "A person of an issuer, and the user they are with an agent." });

export const identityList = z.object({ identities: z.array(identity).readonly(), more }).openapi("IdentityList");

export const unboundIdentities = z
  .object({ identities: z.array(identity).readonly() })
  .openapi("UnboundIdentities", { description: "Who signs in as this user no longer." });
