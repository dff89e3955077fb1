import { afterAll, beforeAll, expect, test } from "vitest";
import { allRoutes } from "../../../src/server/app.ts";
import { type Core, newCore } from "./core-stage.ts";

let core: Core;
beforeAll(async () => {
  core = await newCore({ routes: allRoutes });
});
afterAll(() => core.close());

type Document = {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly security: readonly object[];
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly summary?: string; readonly security?: [] }>>>
  >;
  readonly components: { readonly securitySchemes: object };
};
const read = async (token: string) => (await (await core.ask("/openapi.json", { token })).json()) as Document;

test("the API describes itself to whoever may ask it", async () => {
  const document = await read(core.tokens.agent);
  expect(document).toMatchObject({
    openapi: "3.1.0",
    info: { title: "Charter", version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
    security: [{ token: [] }, { cookie: [] }],
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" }, cookie: { type: "apiKey", in: "cookie" } },
    },
  });
  expect(document.paths["/health"]?.get?.security).toEqual([]);
});

test("every operation has a summary, and none but health goes without a token", async () => {
  const { paths } = await read(core.tokens.operator);
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, security }]) => ({ path, method, summary, security })),
  );
  expect(all.filter(({ summary }) => !summary)).toEqual([]);
  expect(all.filter(({ security }) => security).map(({ path }) => path)).toEqual(["/health", "/health/ready"]);
  expect(all.length).toBeGreaterThan(30);
});

test("every documented operation is there, and asks who is asking", async () => {
  const { paths } = await read(core.tokens.operator);
  for (const [path, methods] of Object.entries(paths))
    for (const method of Object.keys(methods)) {
      if (path.startsWith("/health")) continue;
      const { status } = await core.ask(path.replace(/\{\w+\}/g, "x"), { method: method.toUpperCase() });
      expect([method, path, status]).toEqual([method, path, 401]);
    }
});

test("the page to read shows every operation and holds no script", async () => {
  const answer = await core.ask("/docs", { token: core.tokens.ada });
  const page = await answer.text();
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
  expect(answer.headers.get("content-security-policy")).toContain("script-src 'self'; style-src 'self'");
  for (const path of Object.keys((await read(core.tokens.operator)).paths))
    expect(page).toContain(`<code>${path}</code>`);
  expect(page).not.toMatch(/<script|style=|https?:\/\//);
});

test("a page is not sent again to who has it", async () => {
  const first = await core.ask("/sign-in");
  const etag = first.headers.get("etag") as string;
  expect(etag).toMatch(/^"[\w-]{22}"$/);
  const second = await core.ask("/sign-in", { headers: { "if-none-match": `"other", W/${etag}` } });
  expect([second.status, await second.text(), second.headers.get("etag")]).toEqual([304, "", etag]);
  expect((await core.ask("/sign-in", { headers: { "if-none-match": '"other"' } })).status).toBe(200);
});

test("a file whose name changes with its words is kept for good", async () => {
  const page = { type: "text/javascript", body: new TextEncoder().encode("1"), immutable: true };
  const stage = await newCore({ pages: new Map([["/web/app.1a2b.js", page]]) });
  const answer = await stage.ask("/web/app.1a2b.js");
  expect([answer.headers.get("cache-control"), answer.headers.get("content-type"), await answer.text()]).toEqual([
    "public, max-age=31536000, immutable",
    "text/javascript",
    "1",
  ]);
  await stage.close();
});
