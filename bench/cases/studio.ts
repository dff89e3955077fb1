import type { Measured } from "../../studio/test/stage/measured.ts";
import type { Report, Row } from "../report.ts";

/**
 * What the studio costs a browser: the bytes of its first page, how often drawing the limit holds it up, and what each page of a
 * house of 10,000 turns, 1,000 users and 100 agents asks for and works.
 */
export async function studio(quick: boolean): Promise<Report> {
  const about =
    "in a real Chromium; a task's work is the time of its own thread, so that a busy machine does not count";
  const title = "Studio  the first load of the Prompt page, and the limit drawn over its whole range";
  const { noBrowser, openBrowser } = await import("../../charter/test/browser.ts");
  if (noBrowser !== undefined)
    return { title, about, rows: [{ case: "studio", what: "nothing was measured", note: noBrowser }], wrong: [] };
  const { buildStudio } = await import("../../studio/build.ts");
  const { openStage } = await import("../../studio/test/stage/stage.ts");
  await buildStudio();
  const stage = await openStage();
  try {
    const rows = [
      ...(await firstLoad(stage)),
      ...(await drawing(stage, 1_000, quick)),
      ...(await drawing(stage, 10_000, quick)),
      ...(await atScale(quick)),
    ];
    return { title, about, rows, wrong: [] };
  } finally {
    await (await openBrowser()).close();
    await stage.close();
  }
}

type Stage = Awaited<ReturnType<typeof import("../../studio/test/stage/stage.ts")["openStage"]>>;

async function firstLoad(stage: Stage): Promise<Row[]> {
  const { kilobytes, load } = await import("../../studio/test/stage/fetched.ts");
  const { files } = await load(stage, "/agents/ada/prompt?user=olga");
  const fonts = files.filter(({ path }) => path.endsWith(".woff2"));
  const first = files.filter((file) => !fonts.includes(file));
  return [
    {
      case: "studio",
      what: "first load, KB over the wire",
      figure: kilobytes(first),
      target: 180,
      note: `${first.length} files`,
    },
    { case: "studio", what: "its font beside it, KB", figure: kilobytes(fonts) },
  ];
}

/** Every page of a house that is well used, and those of an agent of 10,000 sections: the least work of several times. */
async function atScale(quick: boolean): Promise<Row[]> {
  const { openStage } = await import("../../studio/test/stage/stage.ts");
  const { measurePages, scalePages } = await import("../../studio/test/stage/measured.ts");
  const { fillLists } = await import("../workloads/listed.ts");
  const stage = await openStage({ lived: false, sections: 10_000 });
  try {
    await fillLists(stage.store, { agents: 100, users: 1000, turns: 10_000 });
    const many = { "Prompt of 10,000": "/agents/many/prompt", "Sections of 10,000": "/agents/many/sections" };
    const pages = { ...scalePages, ...many };
    const times: Measured[][] = [];
    for (let time = 0; time < (quick ? 1 : 3); time++) times.push(await measurePages(stage, pages));
    return Object.keys(pages).map((name) => {
      const all = times.flatMap((one) => one.filter(({ page }) => page === name));
      const [{ asked, bytes, work, server, heap }] = all.sort((one, other) => one.work - other.work) as [
        (typeof all)[0],
      ];
      return {
        case: "studio",
        what: `${name}: ms of its thread`,
        figure: work,
        note: `${asked.length} requests, ${Math.ceil(bytes / 1024)} KB, ${heap} MB of heap; ${server} ms of the server`,
      };
    });
  } finally {
    await stage.close();
  }
}

/** The worst of several times. */
async function drawing(stage: Stage, sections: number, quick: boolean): Promise<Row[]> {
  const { openWindow } = await import("../../studio/test/stage/browser.ts");
  const { writeManySections } = await import("../../studio/test/stage/many-sections.ts");
  const { settled } = await import("../../studio/test/stage/places.ts");
  const { measureLimit } = await import("../../studio/test/stage/slider.ts");
  const agent = `many-${sections}`;
  await stage.store.agents.add({ name: agent, charter: writeManySections(stage.folder, sections) });
  const { page, close } = await openWindow(await stage.link());
  const over: number[] = [];
  const longest: number[] = [];
  for (let time = 0; time < (quick ? 1 : 5); time++) {
    await page.goto(`${stage.url}/agents/${agent}/prompt`);
    await settled(page);
    const held = await measureLimit(page, quick ? 20 : 60);
    over.push(held.byWork.length);
    longest.push(held.longest);
  }
  await close();
  return [
    {
      case: "studio",
      what: `tasks of more than 50 ms, ${sections.toLocaleString("en")} sections`,
      figure: Math.max(...over),
      target: sections === 1_000 ? 0 : 5,
      note: `the longest ${Math.round(Math.max(...longest))} ms; the most of ${over.length} times`,
    },
  ];
}
