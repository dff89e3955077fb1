import { z } from "@hono/zod-openapi";
import { scope, time, user } from "./name.ts";
import { more } from "./page.ts";

const channel = z.enum(["telegram"]).openapi({ description: "Where the chat is." });

export const newLink = z.strictObject({ channel, user }).openapi("NewLink", { example: { channel: "telegram" } });

export const linkCode = z
  .object({
    code: z.string().openapi({ example: "7K3QW9ZD" }),
    expiresAt: time,
    url: z.string().optional().openapi({ description: "Opens the chat and sends the code." }),
  })
  .openapi("LinkCode", { description: "Send it from the chat (/link CODE): once, within ten minutes." });

const link = z
  .object({ scope, channel: z.string(), address: z.string(), at: time })
  .openapi("Link", { description: "A chat that is a user's." });

export const linkList = z.object({ links: z.array(link).readonly(), more }).openapi("LinkList");

export const unlinkResult = z.object({ unlinked: z.string() }).openapi("UnlinkResult");
