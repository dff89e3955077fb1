import { describe, expect, test } from "vitest";
import { whoMay } from "../who-may.ts";
import { ask, requestFor, secrets, stageIsolation } from "./isolation-stage.ts";

stageIsolation();

/** An id nobody has, in the form of one somebody has. */
const nobodys = "0mlrzclc00aaaaaaa";

describe("what is another's and what is nowhere are answered alike, to the letter", () => {
  const owned = Object.entries(whoMay).filter(([, who]) => who === "own");
  for (const [route] of owned)
    test(route, async () => {
      const cy = secrets.get("another user's");
      const elsewhere = secrets.get("the user's, for another agent");
      const alike = async (secret: string | undefined, about: (there: boolean) => Record<string, string>) => {
        const told = async (there: boolean) => {
          const [method, path, body] = await requestFor(route, about(there));
          const id = /\/(0m\w{15}|chat-\d+|nobody-\d+)(?=[/?]|$)/.exec(path)?.[1] ?? "…";
          const { status, text } = await ask(secret, [method, path, body]);
          return [status, text.replaceAll(id, "…").replaceAll(/“(?:bo|nobody|ada|nowhere)”/g, "“…”")];
        };
        expect(await told(true)).toEqual(await told(false));
      };
      // Whose: a user there is, and one there is not.
      await alike(cy, (there) => ({ user: there ? "bo" : "nobody" }));
      // Which: an id of Bo's, and one of nobody's, asked for as one's own.
      if (/\{(?:id|address)\}/.test(route))
        await alike(cy, (there) => ({ user: "cy", ...(there ? {} : { id: nobodys, address: "nobody-1" }) }));
      // Where: an agent there is, and one there is not.
      await alike(elsewhere, (there) => (there ? { user: "bo" } : { user: "bo", agent: "nowhere" }));
    });
});
