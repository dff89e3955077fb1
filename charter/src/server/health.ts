import type { Hono } from "hono";
import { sql } from "../store/home/sql.ts";
import type { Store } from "../store/store.ts";
import type { Asked } from "./api.ts";

/** Whether the store answers; asked at most once a second, however many want to know. */
export function readiness(store: Store, now: () => number, patienceMs = 2_000): () => Promise<boolean> {
  let last: { readonly at: number; readonly answer: Promise<boolean> } | undefined;
  const ask = async () => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, patienceMs, false);
    });
    const answered = store.home.read("everything", (db) => db.one(sql`select 1 as there`)).then(() => true);
    return Promise.race([answered, late])
      .catch(() => false)
      .finally(() => clearTimeout(timer));
  };
  return () => {
    if (!last || now() - last.at >= 1_000) last = { at: now(), answer: ask() };
    return last.answer;
  };
}

/** Alive: the process answers. Ready: it can work. Neither says anything else to whoever asks. */
export function serveHealth(app: Hono<Asked>, ready: () => Promise<boolean>, closing: AbortSignal): void {
  app.get("/health", (context) => context.json({ ok: true }));
  app.get("/health/ready", async (context) => {
    const ok = !closing.aborted && (await ready());
    return context.json({ ok }, ok ? 200 : 503);
  });
}
