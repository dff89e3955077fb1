import { expect, test } from "vitest";
import { Problem } from "../../../src/prompt/problem.ts";
import { readiness } from "../../../src/server/health.ts";
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

test("lines of the log that could not be written are told by health and metrics", async () => {
  let lost = 0;
  const core = await newCore({ lostLines: () => lost });
  const counted = async () =>
    (await (await core.ask("/metrics", { token: core.tokens.operator })).text()).match(/^charter_log_lines.*$/m)?.[0];
  expect(await counted()).toBe("charter_log_lines_lost_total 0");
  lost = 3;
  expect(await (await core.ask("/health")).json()).toEqual({ ok: true, lostLogLines: 3 });
  expect(await counted()).toBe("charter_log_lines_lost_total 3");
  await core.close();
});

test("a store without room to write is not ready until there is room again", async () => {
  const core = await newCore();
  const full = new Problem("disk-full", "There is no room left on the disk for /home/ada/charter.db.", "Free some.");
  let lacking: Problem | undefined = full;
  const readies = readiness({ ...core.store, home: { ...core.store.home, lacksRoom: async () => lacking } }, () =>
    lacking ? 0 : 1000,
  );
  expect(await readies()).toEqual({ code: "disk-full", message: "There is no room left on the disk of the database." });
  lacking = undefined;
  expect(await readies()).toBeUndefined();
  await core.close();
});
