import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inboxTypedData } from "../../src/server/inbox/signed-message.ts";
import { newServed } from "./served.ts";
import { whoMay } from "./who-may.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/http.md"), "utf8");

describe("docs/http.md", () => {
  test("shows the typed data that a wallet signs", () => {
    const shown = JSON.parse(/^```json\n([\s\S]*?)^```$/m.exec(page)?.[1] as string);
    expect(shown).toEqual(inboxTypedData(shown.message));
  });

  test("has every route, with who may ask it and what it is for", async () => {
    const { document, close } = await newServed();
    await close();
    const rows = [...page.matchAll(/^\| `([A-Z]+ \/api\/\S*)` \| (\w+) \| (.*) \|$/gm)].map((row) => row.slice(1));
    const routes = Object.entries<Record<string, { summary: string }>>(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { summary }]) => {
        const route = `${method.toUpperCase()} ${path}`;
        return [route, whoMay[route], summary];
      }),
    );
    const served = routes.filter(([route]) => route?.split(" ")[1]?.startsWith("/api/"));
    expect(rows).toEqual(served);
  });
});
