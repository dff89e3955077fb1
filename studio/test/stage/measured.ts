import type { Page, Request } from "playwright-core";
import { openContext } from "../../../charter/test/browser.ts";
import { signIn } from "./browser.ts";
import { settled } from "./places.ts";
import type { Stage } from "./stage.ts";

/** What a page costs when it is opened anew: what it asks of the API, and what its thread and its heap come to. */
export type Measured = {
  readonly page: string;
  /** Questions, each once, by their paths: what was asked before the line of events was open is asked again then. */
  readonly asked: readonly string[];
  /** Bytes of the answers over the wire, heads included. */
  readonly bytes: number;
  /** Milliseconds that the page's own thread worked, the program read included, until it showed its rows. */
  readonly work: number;
  /** Milliseconds of processor time of this process meanwhile: of the server, and of what drives the browser. */
  readonly server: number;
  /** Megabytes in use once the rubbish was collected. */
  readonly heap: number;
};

/** The pages of a house that `fillLists` filled, each with rows of everything there is. */
export const scalePages: Readonly<Record<string, string>> = {
  Home: "/home",
  Approvals: "/approvals",
  "Money by agent": "/money?days=all",
  "Money by person": "/money?days=all&by=person",
  "Money by section": "/money?days=all&by=section&agent=agent-0",
  People: "/people",
  "a person": "/people/user-2",
  Prompt: "/agents/agent-0/prompt",
  Sections: "/agents/agent-0/sections",
  Compare: "/agents/agent-0/compare",
  Turns: "/agents/agent-0/turns",
  "Turns by session": "/agents/agent-0/turns?by=session",
  "Turns by person": "/agents/agent-0/turns?by=person",
  "Turns of a person": "/agents/agent-0/turns?user=user-2",
  Schedules: "/agents/agent-0/schedules",
  Settings: "/agents/agent-0/settings",
  Notes: "/agents/agent-0/memory",
  Chat: "/agents/agent-0/chat",
};

/** Opens each page in a browser that has read the program before, as whoever comes back. */
export async function measurePages(stage: Stage, pages: Readonly<Record<string, string>>): Promise<Measured[]> {
  const context = await openContext({ viewport: { width: 1280, height: 800 } });
  try {
    await signIn(context, await stage.link());
    const before = await context.newPage();
    await before.goto(`${stage.url}/home`);
    await settled(before);
    await before.close();
    const all: Measured[] = [];
    for (const [name, path] of Object.entries(pages)) {
      const page = await context.newPage();
      all.push({ page: name, ...(await measure(page, stage.url, path)) });
      await page.close();
    }
    return all;
  } finally {
    await context.close();
  }
}

async function measure(page: Page, url: string, path: string): Promise<Omit<Measured, "page">> {
  const requests: Request[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/") && pathname !== "/api/events") requests.push(request);
  });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const figure = async (wanted: string) => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === wanted)?.value ?? 0;
  };
  const began = process.cpuUsage();
  await page.goto(url + path);
  await settled(page);
  const { user, system } = process.cpuUsage(began);
  const work = (await figure("TaskDuration")) * 1000;
  await devtools.send("HeapProfiler.collectGarbage");
  const heap = (await figure("JSHeapUsedSize")) / 2 ** 20;
  const sizes = await Promise.all(requests.map((request) => request.sizes()));
  return {
    asked: [...new Set(requests.map((request) => request.url()))].map((asked) => new URL(asked).pathname).sort(),
    bytes: sizes.reduce(
      (sum, { responseBodySize, responseHeadersSize }) => sum + responseBodySize + responseHeadersSize,
      0,
    ),
    work: Math.round(work),
    server: Math.round((user + system) / 1000),
    heap: Math.round(heap * 10) / 10,
  };
}
