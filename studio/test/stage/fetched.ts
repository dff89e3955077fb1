import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page, Request } from "playwright-core";
import { studioFolder } from "../../../charter/src/server/studio.ts";
import { openContext } from "../../../charter/test/browser.ts";
import { signIn } from "./browser.ts";
import { settled } from "./places.ts";
import type { Stage } from "./stage.ts";

/** A file of the page that a browser fetched, and how many bytes of it came over the wire, headers included. */
export type Fetched = { readonly path: string; readonly bytes: number };

export type Load = {
  readonly files: readonly Fetched[];
  /** What was asked of anyone but the server. */
  readonly elsewhere: readonly string[];
};

/** Opens an address in a browser that has nothing from before but its cookie, until the page has settled. */
export async function load(stage: Stage, path: string, then?: (page: Page) => Promise<void>): Promise<Load> {
  const context = await openContext({ viewport: { width: 1280, height: 800 } });
  try {
    await signIn(context, await stage.link());
    const requests: Request[] = [];
    context.on("request", (request) => requests.push(request));
    const page = await context.newPage();
    await page.goto(stage.url + path);
    await settled(page);
    await then?.(page);
    const asked = requests.map((request) => ({ request, url: new URL(request.url()) }));
    const own = asked.filter(({ url }) => url.origin === stage.url && !url.pathname.startsWith("/api/"));
    const files = own.map(async ({ request, url }) => {
      const { responseBodySize, responseHeadersSize } = await request.sizes();
      return { path: url.pathname, bytes: responseBodySize + responseHeadersSize };
    });
    const strange = asked.filter(({ url }) => url.origin !== stage.url && !/^(?:data|blob):$/.test(url.protocol));
    return { files: await Promise.all(files), elsewhere: strange.map(({ url }) => url.href) };
  } finally {
    await context.close();
  }
}

/** What only some pages need, told by what is in it: the editor's own styles, the first lines of a tokenizer's ranks. */
const heavy = { editor: /cm-cursorLayer/, tokenizer: /^IQ== 0\nIg== 1\n/ } as const;

/** Which of the fetched files are those. */
export function heavyOnes(files: readonly Fetched[], what: keyof typeof heavy): readonly Fetched[] {
  const folder = join(process.env.CHARTER_STUDIO ?? studioFolder(), "studio");
  const those = readdirSync(folder).filter(
    (name) => /\.(?:js|tiktoken)$/.test(name) && heavy[what].test(readFileSync(join(folder, name), "utf8")),
  );
  return files.filter(({ path }) => those.includes(path.slice("/studio/".length)));
}

export function kilobytes(files: readonly Fetched[]): number {
  return Math.ceil(files.reduce((sum, { bytes }) => sum + bytes, 0) / 1024);
}
