import { expect, test } from "vitest";
import { newCore } from "./core-stage.ts";

test("alive is alive, ready is ready, and neither says more", async () => {
  const core = await newCore();
  for (const path of ["/health", "/health/ready"]) {
    const answer = await core.ask(path);
    expect([answer.status, await answer.text()]).toEqual([200, '{"ok":true}']);
  }
  await core.close();
});

test("whoever knows the server by its address only may still ask how it is", async () => {
  const core = await newCore();
  expect((await core.ask("http://10.1.2.3:4747/health")).status).toBe(200);
  expect((await core.ask("http://10.1.2.3:4747/health/ready")).status).toBe(200);
  expect((await core.ask("http://10.1.2.3:4747/healthy")).status).toBe(421);
  await core.close();
});

test("without its store it is alive, but not ready; who asks for more is told it cannot answer", async () => {
  const core = await newCore();
  await core.store.close();
  const ready = await core.ask("/health/ready");
  expect([ready.status, await ready.text()]).toEqual([503, '{"ok":false}']);
  expect((await core.ask("/health")).status).toBe(200);
  const asked = await core.ask("/api/who", { token: core.tokens.ada });
  expect([asked.status, asked.headers.get("retry-after"), await asked.json()]).toEqual([
    503,
    "5",
    {
      error: {
        code: "store-closed",
        message: "The service cannot answer this now.",
        hint: "Try again in a while; if it stays so, tell the operator which request it was.",
        request: asked.headers.get("x-request-id"),
      },
    },
  ]);
});

test("the store is asked once a second, however many want to know", async () => {
  const core = await newCore();
  expect((await core.ask("/health/ready")).status).toBe(200);
  await core.store.close();
  const all = await Promise.all(Array.from({ length: 50 }, () => core.ask("/health/ready")));
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
  core.wait(1);
  expect((await core.ask("/health/ready")).status).toBe(503);
});

test("a server that is closing is not ready", async () => {
  const core = await newCore();
  core.app.close();
  expect((await core.ask("/health/ready")).status).toBe(503);
  expect((await core.ask("/health")).status).toBe(200);
  await core.close();
});
