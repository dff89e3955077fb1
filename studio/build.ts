import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { brotliCompressSync, gzipSync, constants as zlib } from "node:zlib";

const here = import.meta.dirname;
const usual = resolve(here, "../service/studio");

/** Everything both pages are made of: their own files, the heart they run, and the versions of what they are built with. */
const made = [
  "index.html",
  "chat",
  "public",
  "src",
  "vite.config.ts",
  "build.ts",
  "../charter/src/index.ts",
  "../charter/src/prompt",
  "../charter/src/amend",
  "../charter/src/delivery",
  "../charter/src/packages",
  "../charter/bin/import-package.js",
  "../package-lock.json",
];

/**
 * Builds the studio, and in it the page for users, `chat`: a bundle of its own. Not if they were built of just these words
 * before. Beside each file lie its packed forms. They are built in a folder of their own and put in their place whole: a
 * server that reads meanwhile finds the old ones or the new ones.
 */
export async function buildStudio(
  folder: string = process.env.CHARTER_STUDIO ?? usual,
  bundle: (into: string) => Promise<void> = bundleBoth,
): Promise<boolean> {
  const stamp = digestOf(made.flatMap((name) => filesUnder(resolve(here, name))));
  if (isBuiltOf(folder, stamp)) return false;
  clearAway(folder);
  const workshop = `${folder}.${process.pid}`;
  try {
    await bundle(workshop);
  } catch (error) {
    rmSync(workshop, { recursive: true, force: true });
    throw error;
  }
  for (const file of filesUnder(workshop)) pack(file);
  writeFileSync(join(workshop, ".built"), stamp);
  mkdirSync(dirname(folder), { recursive: true });
  putInPlace(workshop, folder, stamp);
  return true;
}

async function bundleBoth(into: string): Promise<void> {
  const { build } = await import("vite");
  const environment = process.env.NODE_ENV;
  // Built for tests, it is still the page as it is served, not React's larger one for development.
  process.env.NODE_ENV = "production";
  try {
    // One after the other: the first empties the folder that the second is put into.
    for (const [config, outDir] of [
      ["vite.config.ts", into],
      ["chat/vite.config.ts", join(into, "chat")],
    ] as const)
      await build({ configFile: join(here, config), logLevel: "warn", build: { outDir, emptyOutDir: true } });
  } finally {
    if (environment === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = environment;
  }
}

function isBuiltOf(folder: string, stamp: string): boolean {
  try {
    return readFileSync(join(folder, ".built"), "utf8") === stamp;
  } catch {
    return false;
  }
}

/** What was left by one that was killed while it built goes after an hour: it would be published along with the page. */
function clearAway(folder: string): void {
  const place = dirname(folder);
  if (!existsSync(place)) return;
  for (const name of readdirSync(place)) {
    const ours =
      name.startsWith(`${basename(folder)}.`) && /^\d+(?:\.old)?$/.test(name.slice(basename(folder).length + 1));
    const path = join(place, name);
    const since = ours ? statSync(path, { throwIfNoEntry: false })?.mtimeMs : undefined;
    if (since !== undefined && Date.now() - since > 3_600_000) rmSync(path, { recursive: true, force: true });
  }
}

/**
 * The old one is moved out of the way and the new one into its place. Whoever else builds at the same time may be first:
 * where that is the same page, theirs stays.
 */
function putInPlace(workshop: string, folder: string, stamp: string): void {
  const old = `${workshop}.old`;
  for (let tries = 1; ; tries++)
    try {
      if (isBuiltOf(folder, stamp)) {
        rmSync(workshop, { recursive: true, force: true });
        break;
      }
      rmSync(old, { recursive: true, force: true });
      if (existsSync(folder)) renameSync(folder, old);
      renameSync(workshop, folder);
      break;
    } catch (error) {
      if (tries === 5) throw error;
    }
  rmSync(old, { recursive: true, force: true });
}

function filesUnder(path: string): string[] {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true, encoding: "utf8" });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function digestOf(files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(file).update("\0").update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

const packable = /\.(?:js|css|svg|json|tiktoken)$/;

/** The best a packer can do takes long with a large file, and hardly makes it smaller than the next best. */
function pack(file: string): void {
  if (!packable.test(file)) return;
  const words = readFileSync(file);
  const quality = words.length > 500_000 ? 9 : 11;
  writeFileSync(`${file}.br`, brotliCompressSync(words, { params: { [zlib.BROTLI_PARAM_QUALITY]: quality } }));
  writeFileSync(`${file}.gz`, gzipSync(words, { level: 9 }));
}

if (process.argv[1] && resolve(process.argv[1]) === import.meta.filename)
  if (await buildStudio()) process.stderr.write("The studio was built.\n");
