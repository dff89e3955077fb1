import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import type { CDPSession } from "playwright-core";
import { signInLink } from "../../charter/src/operations/users/tokens.ts";
import { loadStudio } from "../../charter/src/server/studio.ts";
import type { Home } from "../../charter/src/store/home/database.ts";
import { postgres } from "../../charter/src/store/home/postgres/postgres.ts";
import { raw } from "../../charter/src/store/home/sql.ts";
import { sqlite } from "../../charter/src/store/home/sqlite/sqlite.ts";
import { createStore, type Store } from "../../charter/src/store/store.ts";
import type { Report, Row } from "../report.ts";
import { spreadOf } from "../rounds.ts";
import { fillLists, listedUntil } from "../workloads/listed.ts";
import { fillBesideTurns } from "../workloads/lived-in.ts";
import { serveLists } from "../workloads/served-lists.ts";

const agent = "agent-0";

/** Every page, where it is, and what is there once its first rows are. */
const opened: Readonly<Record<string, readonly [path: string, row: string]>> = {
  Start: ["/start", "main h2"],
  Agents: ["/agents", `main a[href*="/agents/${agent}/"]`],
  Prompt: [`/agents/${agent}/prompt?user=user-0`, "main [role=listbox] [role=option]"],
  Sections: [`/agents/${agent}/sections`, `main a[href*="/sections/"]`],
  "one section": [`/agents/${agent}/sections/soul`, "main [role=textbox], main textarea"],
  Turns: [`/agents/${agent}/turns`, `main a[href*="/turns/turn-"]`],
  "Turns with a word": [`/agents/${agent}/turns?words=refund`, `main a[href*="/turns/turn-"]`],
  Sessions: [`/agents/${agent}/turns?view=sessions`, `main a[href*="session"]`],
  "one session": [`/agents/${agent}/turns?session=session-0-0&picture=open`, `main a[href*="/turns/turn-"]`],
  "one turn": [`/agents/${agent}/turns/{turn}`, "main h2"],
  Compare: [`/agents/${agent}/compare?left=turn:{turn}&right=now:user=user-0`, "main details[data-section]"],
  Cost: [`/agents/${agent}/cost`, "main svg"],
  Chat: [`/agents/${agent}/chat`, "main textarea, main [role=textbox]"],
  Conversations: [`/agents/${agent}/conversations`, `main a[href*="/conversations/"]`],
  "one conversation": [`/agents/${agent}/conversations/user-0`, "main article, main li"],
  Memory: [`/agents/${agent}/memory?user=user-0`, "main li, main article"],
  Approvals: [`/agents/${agent}/approvals`, "main article, main li"],
  Schedules: [`/agents/${agent}/schedules`, "main article, main li"],
  Settings: [`/agents/${agent}/settings`, "main form, main textarea, main input"],
};

type Opening = {
  readonly milliseconds: number;
  readonly pageWork: number;
  readonly serverWork: number;
  readonly megabytes: number;
  readonly asked: number;
  readonly kilobytes: number;
  readonly wrong: readonly string[];
};

/** Every page of the studio over a house that is well used, each opened in a browser that has nothing from before. */
export async function pages(quick: boolean): Promise<Report> {
  const title =
    "Pages  10,000 turns, 1,000 users, 100 agents; 1,000 notes, 200 calls that wait and 100 schedules of one";
  const about = `in a real Chromium, until the first rows are there; heap in MB after a collection; load average ${loadavg()
    .map((one) => one.toFixed(1))
    .join(" ")}`;
  const { noBrowser, openBrowser } = await import("../../charter/test/browser.ts");
  if (noBrowser !== undefined)
    return { title, about, rows: [{ case: "pages", what: "nothing was measured", note: noBrowser }], wrong: [] };
  const { buildStudio } = await import("../../studio/build.ts");
  await buildStudio();
  const folder = mkdtempSync(join(tmpdir(), "charter-pages-"));
  const server = await (await import("../../charter/test/postgres.ts")).startPostgres();
  const wrong: string[] = [];
  try {
    await server.ready;
    const rows: Row[] = [];
    for (const home of [sqlite(join(folder, "charter.db")), postgres(server.url)])
      rows.push(...(await inHome(home, quick ? 1 : 3, wrong)));
    return { title, about, rows, wrong };
  } finally {
    await (await openBrowser()).close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inHome(home: Home, times: number, wrong: string[]): Promise<Row[]> {
  const store = await createStore(home, { now: () => new Date(listedUntil) });
  await fillLists(store, { agents: 100, users: 1000, turns: 10_000 });
  await fillBesideTurns(store, agent, { notes: 1000, waiting: 200, schedules: 100 });
  await store.home.write("everything", (db) => db.run(raw("analyze")));
  const { host, url, close } = await serveLists(store, loadStudio());
  const rows: Row[] = [];
  try {
    const { turn } = await host.runTurn({ agent, user: "user-0", channel: "web", input: "Where is my refund?" });
    for (const [name, [path, row]] of Object.entries(opened)) {
      const openings: Opening[] = [];
      for (let time = 0; time < times; time++)
        openings.push(await openPage(store, url, path.replace("{turn}", turn), row));
      const what = `${name}, on ${home.name === "sqlite" ? "SQLite" : "PostgreSQL"}`;
      rows.push(rowOf(what, openings));
      wrong.push(...openings.flatMap((one) => one.wrong.map((fault) => `${what}: ${fault}`)));
    }
    rows.push(await indexShare(store));
  } finally {
    await close();
    await store.close();
  }
  return rows;
}

function rowOf(what: string, openings: readonly Opening[]): Row {
  const middle = (of: (one: Opening) => number) => Math.round(spreadOf(openings.map(of)).median);
  const [page, server] = [middle(({ pageWork }) => pageWork), middle(({ serverWork }) => serverWork)];
  const asked = `${middle((one) => one.asked)} questions, ${middle((one) => one.kilobytes)} KB of answers`;
  return {
    case: "pages",
    what,
    time: spreadOf(openings.map(({ milliseconds }) => milliseconds)),
    figure: Math.round(10 * Math.max(...openings.map(({ megabytes }) => megabytes))) / 10,
    target: 50,
    note: `page ${page} ms of work, server ${server} ms; ${asked}`,
  };
}

async function openPage(store: Store, url: string, path: string, row: string): Promise<Opening> {
  const { openContext } = await import("../../charter/test/browser.ts");
  const { signIn } = await import("../../studio/test/stage/browser.ts");
  const { settled } = await import("../../studio/test/stage/places.ts");
  const context = await openContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
  try {
    await signIn(context, await signInLink(store, url));
    const page = await context.newPage();
    const wrong: string[] = [];
    const answers: Promise<number>[] = [];
    page.on("pageerror", (error) => wrong.push(String(error)));
    page.on("response", (answer) => {
      if (answer.status() >= 400) wrong.push(`${answer.status()} ${answer.url()}`);
      // The feed of events never ends.
      if (!answer.url().includes("/api/") || answer.headers()["content-type"]?.startsWith("text/event-stream")) return;
      answers.push(
        answer.body().then(
          ({ length }) => length,
          () => 0,
        ),
      );
    });
    const session = await context.newCDPSession(page);
    await session.send("Performance.enable");
    const used = process.cpuUsage();
    const began = performance.now();
    await page.goto(url + path, { waitUntil: "commit" });
    await page
      .locator(row)
      .first()
      .waitFor({ timeout: 30_000 })
      .catch(async () => {
        wrong.push(`no “${row}” in ${JSON.stringify((await page.locator("main").innerText()).slice(0, 300))}`);
      });
    const milliseconds = performance.now() - began;
    await settled(page);
    const { user, system } = process.cpuUsage(used);
    const alerts = await page.locator("main [role=alert]").allInnerTexts();
    wrong.push(...alerts.map((alert) => `it says “${alert}”`));
    const sizes = await Promise.all(answers);
    const kilobytes = sizes.reduce((sum, size) => sum + size, 0) / 1024;
    const costs = { ...(await costsOf(session)), serverWork: (user + system) / 1000 };
    return { milliseconds, ...costs, asked: sizes.length, kilobytes, wrong };
  } finally {
    await context.close();
  }
}

/** What the page's own thread worked, and what is on its heap that something still needs. */
async function costsOf(session: CDPSession): Promise<{ readonly pageWork: number; readonly megabytes: number }> {
  const { metrics } = await session.send("Performance.getMetrics");
  const seconds = metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return { pageWork: seconds * 1000, megabytes: usedSize / 1e6 };
}

/** All indexes, those of words among them, in all that is stored. */
async function indexShare(store: Store): Promise<Row> {
  const words = `case when name like 'turns_search%' or name like '%turn_words%' then pgsize else 0 end`;
  const query = {
    sqlite: `select sum(case when m.type = 'index' or s.name like '%s_search%' then pgsize else 0 end) as indexes,
      sum(${words.replaceAll("name", "s.name")}) as words, sum(pgsize) as "all" from dbstat s left join sqlite_master m on m.name = s.name`,
    postgres: `select sum(pg_indexes_size(c.oid)) as indexes,
      sum(case when c.relname = 'turn_words' then pg_total_relation_size(c.oid) else 0 end) as words,
      sum(pg_total_relation_size(c.oid)) as "all" from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'charter' and c.relkind = 'r'`,
  }[store.home.name];
  const row = await store.home.read("everything", (db) =>
    db.one<{ indexes: number; words: number; all: number }>(raw(query)),
  );
  const [indexes, of, all] = [Number(row?.indexes ?? 0), Number(row?.words ?? 0), Number(row?.all ?? 1)];
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  return {
    case: "pages",
    what: `indexes, share of ${store.home.name === "sqlite" ? "SQLite" : "PostgreSQL"}`,
    figure: Math.round((100 * indexes) / all) / 100,
    note: `${megabytes(indexes)} of ${megabytes(all)}; words of turns ${megabytes(of)}`,
  };
}
