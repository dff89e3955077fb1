// Pictures of every page, in both themes, of a house that was lived in: to be looked at. They go into an ignored folder;
// `--readme` makes those the README and the docs carry.

import { mkdirSync, statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { noBrowser, openBrowser } from "../charter/test/browser.ts";
import { buildStudio } from "../studio/build.ts";
import { live, see, views } from "../studio/test/chat/lived.ts";
import { openUserStage, openUserWindow } from "../studio/test/chat/stage.ts";
import { openWindow } from "../studio/test/stage/browser.ts";
import { liveOnChain, solsChain } from "../studio/test/stage/on-chain.ts";
import { type Place, placesOf, settled } from "../studio/test/stage/places.ts";
import { openStage, type Stage } from "../studio/test/stage/stage.ts";

const usage = `npm run shots [-- options]

  --page prompt,turns   these pages only (all); users: the page for users; chain: Life of an agent on a chain
  --to <folder>         where the pictures go (shots)
  --readme              only those in docs/pictures, which the README and the docs show
`;

const options = {
  page: { type: "string" },
  to: { type: "string", default: "shots" },
  readme: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** How wide, how high, in which theme; of the main views alone, or of all. */
type Size = { readonly width: number; readonly height: number; readonly dark: boolean; readonly all: boolean };

const sizes: readonly Size[] = [
  { width: 1280, height: 800, dark: false, all: true },
  { width: 1280, height: 800, dark: true, all: true },
  { width: 360, height: 740, dark: false, all: false },
  { width: 360, height: 740, dark: true, all: false },
  { width: 3840, height: 2160, dark: false, all: false },
];

const root = resolve(import.meta.dirname, "..");
process.exitCode = await main();

async function main(): Promise<number> {
  const { page, to, readme, help } = given();
  if (help) return say(usage);
  if (noBrowser !== undefined) return fail(`There is no browser to take pictures with: ${noBrowser}.`);
  await buildStudio();
  const wanted = page?.split(",");
  if (wanted?.includes("users") ?? true) await picturesForUsers(resolve(root, to), readme);
  if (wanted?.includes("chain") ?? true) await picturesOfChain(resolve(root, to), readme);
  if (wanted?.every((one) => one === "users" || one === "chain")) return endBrowser();
  const stage = await openStage();
  try {
    if (readme) return await picturesForDocs(stage);
    const places = (await placesOf(stage)).filter((place) => wanted?.includes(place.page) ?? true);
    if (places.length === 0) return fail(`There is no page “${page}”.\n\n${usage}`);
    return await takeAll(stage, places, resolve(root, to));
  } finally {
    await (await openBrowser()).close();
    await stage.close();
  }
}

async function takeAll(stage: Stage, places: readonly Place[], folder: string): Promise<number> {
  mkdirSync(folder, { recursive: true });
  let taken = 0;
  for (const { width, height, dark, all } of sizes) {
    const window = await openWindow(await stage.link(), { width, height, dark });
    for (const { name, path, main } of places) {
      if (!all && !main) continue;
      const file = resolve(folder, `${name}-${width}-${dark ? "dark" : "light"}.png`);
      await window.page.goto(stage.url + path);
      await settled(window.page);
      await window.page.screenshot({ path: file });
      say(`${relative(root, file)}\n`);
      taken++;
    }
    for (const wrong of new Set(window.wrong)) say(`in the browser: ${wrong}\n`);
    await window.close();
  }
  return say(`${taken} pictures of ${places.length} views in ${relative(root, folder)}.\n`);
}

async function endBrowser(): Promise<number> {
  await (await openBrowser()).close();
  return 0;
}

/** Every view of the page for users, of someone who has used it; for the docs its conversation alone. */
async function picturesForUsers(folder: string, docs: boolean): Promise<void> {
  const stage = await openUserStage();
  mkdirSync(folder, { recursive: true });
  for (const { width, height, dark } of docs ? sizes.slice(0, 1) : sizes.filter((size) => size.width < 2000)) {
    const { page, context } = await openUserWindow({ width, height, dark });
    await live(stage, page, `bo-${width}-${dark ? "dark" : "light"}`);
    for (const [name, address] of docs ? [] : views) {
      await see(page, address);
      await page.screenshot({ path: resolve(folder, `users-${name}-${width}-${dark ? "dark" : "light"}.png`) });
    }
    if (docs) await page.screenshot({ path: resolve(root, "docs/pictures/chat.png") });
    await context.close();
  }
  await stage.close();
}

/** The page Life of an agent on a chain: its figures and what is below them. */
async function picturesOfChain(folder: string, docs: boolean): Promise<void> {
  const stage = await openStage({ lived: false, chains: solsChain });
  await liveOnChain(stage);
  mkdirSync(folder, { recursive: true });
  for (const { width, height, dark } of docs ? sizes.slice(0, 1) : sizes.filter((size) => size.width < 2000)) {
    // High enough for the replies.
    const { page, close } = await openWindow(await stage.link(), { width, height: docs ? 1200 : height, dark });
    await page.goto(`${stage.url}/agents/sol/life`);
    await settled(page);
    if (docs) await keepForDocs(page, "life-chain");
    else
      await page.screenshot({ path: resolve(folder, `chain-${width}-${dark ? "dark" : "light"}.png`), fullPage: true });
    await close();
  }
  await stage.close();
}

/** Pages that the docs show, small enough to be carried along by every clone. */
async function picturesForDocs(stage: Stage): Promise<number> {
  const places = await placesOf(stage);
  const { page, close } = await openWindow(await stage.link(), { width: 1280, height: 800 });
  for (const name of ["home", "turns", "turns-amended", "approvals", "start"]) {
    await page.goto(stage.url + places.find((place) => place.name === name)?.path);
    await settled(page);
    await keepForDocs(page, name);
  }
  await close();
  return pictureForReadme(stage);
}

/** The Prompt page with a word looked up. */
async function pictureForReadme(stage: Stage): Promise<number> {
  const { page, close } = await openWindow(await stage.link(), { width: 1440, height: 900 });
  await page.goto(`${stage.url}/agents/sol/prompt?show=new`);
  await settled(page);
  await page.getByRole("searchbox", { name: "Find in the prompt" }).fill("oldest letter first");
  const line = page.getByRole("region", { name: /^The text/ }).getByText("oldest letter first", { exact: true });
  await line.waitFor();
  await settled(page);
  await line.click();
  await page.getByText("Written by the").waitFor();
  await page.mouse.move(0, 0);
  await keepForDocs(page, "prompt");
  await close();
  return 0;
}

async function keepForDocs(page: Page, name: string): Promise<void> {
  const file = resolve(root, `docs/pictures/${name}.png`);
  await page.screenshot({ path: file });
  say(`${relative(root, file)}: ${Math.ceil(statSync(file).size / 1024)} KB\n`);
}

function given() {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}

function say(words: string): number {
  process.stdout.write(words);
  return 0;
}

function fail(words: string): number {
  process.stderr.write(`${words}\n`);
  return 2;
}
