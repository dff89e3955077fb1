import { join } from "node:path";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import type { Model } from "../../charter/src/delivery/model.ts";
import { receiverOf } from "../../charter/src/delivery/receiver.ts";
import { createHost } from "../../charter/src/host/create-host.ts";
import { allRoutes, createApi } from "../../charter/src/server/app.ts";
import { listen } from "../../charter/src/server/listen.ts";
import { sqlite } from "../../charter/src/store/home/sqlite/sqlite.ts";
import { createStore } from "../../charter/src/store/store.ts";
import { bareCommits, type Commit, countingHome } from "./commits.ts";

/** A program of its own, `served.ts <folder> charter` or `… bare <sizes> <answer>`; it says where it listens, and more. */
const [folder = "", what = "", sizes = "[]", answer = "{}"] = process.argv.slice(2);
const commits: Commit[] = [];
const facts = what === "charter" ? await charter() : await bare();
process.on("message", (asked) => {
  if (asked === "commits") process.send?.({ commits: commits.splice(0) });
  if (asked === "processor") {
    const { user, system } = process.cpuUsage();
    process.send?.((user + system) / 1000);
  }
  if (asked === "memory") {
    (globalThis as { gc?: () => void }).gc?.();
    process.send?.({ heap: process.memoryUsage().heapUsed, resident: process.memoryUsage().rss });
  }
});
process.on("disconnect", () => process.exit(0));
process.send?.(facts);

/** The whole service, with a model that answers at once. */
async function charter() {
  const path = join(folder, "charter.db");
  const counting = countingHome(sqlite(path), path);
  const store = await createStore(counting.home);
  counting.commits.splice(0);
  await store.agents.add({ name: "ada", charter: "assistant", model: "stand-in/at-once" });
  const { secret } = await store.tokens.create({ name: "bench", kind: "operator" });
  const { secret: gateway } = await store.tokens.create({ name: "page", kind: "gateway" });
  const model: Model = {
    receiver: { ...receiverOf("stand-in/scripted"), name: "stand-in/at-once" },
    ask: async () => ({
      answer: {
        text: "Tea is at four.",
        calls: [],
        finish: "stop",
        usage: { input: 900, read: 800, written: 0, output: 6 },
      },
    }),
  };
  const host = createHost({ store, loadModel: async () => model, env: {}, zone: "UTC" });
  const unlimited = { operator: Number.POSITIVE_INFINITY };
  const api = createApi({
    host,
    operator: "olga",
    routes: allRoutes,
    ...{ openai: true, openaiUser: "x-user" },
    limits: { perMinute: unlimited, concurrentRequests: unlimited } as never,
  });
  // The last ones are enough: what is kept here is no memory of the server's.
  setInterval(() => {
    commits.push(...counting.commits.splice(0));
    commits.splice(0, Math.max(0, commits.length - 5000));
  }, 20).unref();
  const { url } = await listen(api, { port: 0 });
  return { url, secret, gateway };
}

/** The same kind of server without anything behind it: an answer of the same size, and as many commits of the same bytes. */
async function bare() {
  const database = bareCommits(join(folder, "bare.db"));
  const each = JSON.parse(sizes) as readonly number[];
  const app = new Hono();
  app.post("/api/agents/ada/turns", async (context) => {
    await context.req.json();
    for (const bytes of each) database.commit(bytes);
    return context.body(answer, 200, { "content-type": "application/json" });
  });
  return new Promise<{ url: string; secret: string }>((resolve) => {
    serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
      resolve({ url: `http://127.0.0.1:${port}`, secret: "none" }),
    );
  });
}
