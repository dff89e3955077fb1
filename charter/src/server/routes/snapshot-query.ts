import { z } from "@hono/zod-openapi";
import type { SnapshotQuery } from "../../host/host.ts";
import { instantOf } from "../http/instant.ts";

/** Whom a look is for, where they would be, and when: as it stands in an address. */
export const snapshotQuery = {
  user: z.string().optional().openapi({ description: "The user." }),
  channel: z.string().optional().openapi({ description: "The channel.", example: "web" }),
  at: z.string().optional().openapi({ description: "The time, ISO 8601; default: now." }),
};

export function snapshotQueryOf(agent: string, asked: Omit<SnapshotQuery, "agent">): SnapshotQuery {
  const { user, channel, at } = asked;
  // In an address a bare plus is read as a space, and a time has no other place for one.
  const when = at === undefined ? {} : { at: instantOf(at.replace(/(?<=T\S*) (?=\d\d:\d\d$)/, "+")) };
  return { agent, user, channel, ...when };
}
