import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPlace, type Place } from "../../../test/sources/place.ts";
import { disk } from "./disk.ts";
import { type FileWatcher, type WatchTargets, watchFiles } from "./watch.ts";

let place: Place;
let watching: FileWatcher | undefined;
let heard: string[];
let waiting: { readonly path: string; readonly done: () => void }[];
beforeEach(() => {
  place = createPlace();
  [heard, waiting] = [[], []];
});
afterEach(() => {
  watching?.close();
  place.remove();
});

function watch(wanted: WatchTargets | (() => WatchTargets)): void {
  const onChange = (paths: readonly string[]) => {
    heard.push(...paths);
    for (const { path, done } of waiting) if (paths.includes(path)) done();
  };
  watching = watchFiles({
    disk,
    targets: typeof wanted === "function" ? wanted : () => wanted,
    onChange,
    debounceMs: 5,
  });
}

/** Resolves once a change of that path was told. */
const told = (path: string) => new Promise<void>((done) => waiting.push({ path, done }));

/** Does something, and waits until a change of that path is told. */
async function change(path: string, what: () => void): Promise<void> {
  const seen = told(path);
  what();
  await seen;
  waiting = [];
}

test("a file that is written, replaced, removed and made again", async () => {
  const path = place.write("a.md", "One.");
  watch({ files: [path], folders: [] });
  await change(path, () => writeFileSync(path, "Two."));
  await change(path, () => renameSync(place.write("other.md", "Three."), path));
  await change(path, () => rmSync(path));
  await change(path, () => writeFileSync(path, "Four."));
  expect(new Set(heard)).toEqual(new Set([path]));
});

test("a file whose directories are not there yet, are made, go with it, and come again", async () => {
  const path = `${place.root}/.charter/deep/SYSTEM.md`;
  const make = () => {
    mkdirSync(`${place.root}/.charter/deep`, { recursive: true });
    writeFileSync(path, "Words.");
  };
  watch({ files: [path], folders: [] });
  await change(path, make);
  await change(path, () => writeFileSync(path, "Other words."));
  await change(path, () => rmSync(`${place.root}/.charter`, { recursive: true }));
  await change(path, make);
  await change(path, () => writeFileSync(path, "Words again."));
  expect(new Set(heard)).toEqual(new Set([path]));
});

test("a directory that is exchanged for another in one move", async () => {
  const path = place.write("config/SYSTEM.md", "One.");
  place.write("next/SYSTEM.md", "Two.");
  watch({ files: [path], folders: [] });
  await change(path, () => {
    renameSync(`${place.root}/config`, `${place.root}/old`);
    renameSync(`${place.root}/next`, `${place.root}/config`);
  });
  await change(path, () => writeFileSync(path, "Three."));
});

test("a file that is a link tells when its target changes", async () => {
  const target = place.write("elsewhere/words.md", "One.");
  const path = place.link("project/AGENTS.md", "../elsewhere/words.md");
  watch({ files: [path], folders: [] });
  await change(path, () => writeFileSync(target, "Two."));
});

test("a folder with all that is in it, new directories too", async () => {
  const folder = place.folder("skills");
  const first = place.write("skills/a/SKILL.md", "One.");
  watch({ files: [], folders: [folder] });
  await change(first, () => writeFileSync(first, "Two."));
  await change(`${folder}/b`, () => mkdirSync(`${folder}/b`));
  await change(`${folder}/b/SKILL.md`, () => writeFileSync(`${folder}/b/SKILL.md`, "New."));
  await change(`${folder}/a`, () => rmSync(`${folder}/a`, { recursive: true }));
  await change(folder, () => rmSync(folder, { recursive: true }));
  await change(folder, () => mkdirSync(folder));
});

test("a folder that leads back into itself has an end", async () => {
  const folder = place.folder("skills");
  const path = place.write("skills/a/SKILL.md", "One.");
  place.link("skills/a/again", "..");
  watch({ files: [], folders: [folder] });
  await change(path, () => writeFileSync(path, "Two."));
});

test("what is wanted later is watched as well", async () => {
  const [first, second] = [place.write("a/A.md", "One."), place.write("b/B.md", "One.")];
  let files = [first];
  watch(() => ({ files, folders: [] }));
  files = [first, second];
  await change(first, () => writeFileSync(first, "Two."));
  await change(second, () => writeFileSync(second, "Two."));
});

test("other files in the same directory are nobody's business", async () => {
  const path = place.write("a.md", "One.");
  watch({ files: [path], folders: [] });
  for (let index = 0; index < 20; index++) place.write(`noise-${index}.txt`, "x");
  await change(path, () => writeFileSync(path, "Two."));
  expect(new Set(heard)).toEqual(new Set([path]));
});

test.runIf(process.platform === "linux")("closed, it holds nothing open and says nothing more", async () => {
  const path = place.write("a.md", "One.");
  const folder = place.folder("skills");
  watch({ files: [path], folders: [folder] });
  expect([isWatched(place.root), isWatched(folder)]).toEqual([true, true]);
  writeFileSync(path, "Two.");
  watching?.close();
  await new Promise<void>((done) => setImmediate(done));
  expect([isWatched(place.root), isWatched(folder)]).toEqual([false, false]);
  expect(heard).toEqual([]);
});

test("where there is nothing to watch, it is silent", () => {
  watch({ files: ["/nowhere/at/all/AGENTS.md"], folders: ["/dev/null", "\0"] });
  expect(heard).toEqual([]);
});

/** Does the system watch this directory for us? */
function isWatched(path: string): boolean {
  const inode = statSync(path).ino.toString(16);
  return readdirSync("/proc/self/fdinfo").some((name) => {
    try {
      return readFileSync(`/proc/self/fdinfo/${name}`, "utf8").includes(` ino:${inode} `);
    } catch {
      return false;
    }
  });
}

test("a folder that is exchanged for another: what is in the new one is watched", async () => {
  const path = place.write("skills/one/SKILL.md", "One.");
  place.write("next/one/SKILL.md", "Two.");
  const folder = `${place.root}/skills`;
  watch({ files: [], folders: [folder] });
  await change(folder, () => {
    renameSync(folder, `${place.root}/old`);
    renameSync(`${place.root}/next`, folder);
  });
  await change(path, () => writeFileSync(path, "Three."));
});
