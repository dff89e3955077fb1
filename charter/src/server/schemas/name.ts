import { z } from "@hono/zod-openapi";

/** Ids and names in an address. They may hold anything a name may: percent-encode them. */
const named = (name: string, description: string, example: string) =>
  z.string().openapi({ param: { name, in: "path" }, description, example });

export const agentPath = { agent: named("agent", "The agent's name.", "ada") };
export const sectionPath = { ...agentPath, section: named("section", "The section's name.", "instructions") };
export const userPath = { user: named("user", "The user's id.", "bo") };
export const idPath = { id: named("id", "Its id.", "0mi2v8g5x00k3f9qz") };

/** Whose copy an operator asks about. A user is always themselves. */
export const user = z.string().optional().openapi({
  description:
    "The user; operators may name one, or leave it out for the agent's own. For a user it is always themselves.",
  example: "bo",
});

export const scope = z
  .object({ agent: z.string(), user: z.string().optional() })
  .openapi("Scope", { description: "An agent's own text, or its text for one user.", example: { agent: "ada" } });

export const time = z.string().openapi({ format: "date-time", example: "2026-02-18T15:04:00.000Z" });

/** Any JSON. */
export const anything = z.unknown().openapi({ description: "Any JSON." });
