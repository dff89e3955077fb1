import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { root } from "../fetched-package.ts";
import { packedTarballs, runStranger } from "../packed.ts";

/** What is in the packages as they are published. */

type Contents = { readonly home: string; readonly files: readonly string[] };
let charter: Contents;
let service: Contents;

beforeAll(async () => {
  const tarballs = await packedTarballs();
  charter = await unpacked(tarballs.charter);
  service = await unpacked(tarballs.service);
}, 1_800_000);

async function unpacked(tarball: string): Promise<Contents> {
  const folder = mkdtempSync(join(tmpdir(), "charter-unpacked-"));
  expect(await runStranger("tar", ["-xzf", tarball, "-C", folder], folder)).toMatchObject({ code: 0 });
  const home = join(folder, "package");
  return { home, files: filesIn(home) };
}

function filesIn(folder: string): string[] {
  const all = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return all.filter((file) => statSync(join(folder, file)).isFile()).sort();
}

/** Their endings, by the folder they lie in. */
function kindsOf(files: readonly string[]): string[] {
  const kind = (file: string) => {
    const folder = file.includes("/") ? `${file.split("/")[0]}/` : "";
    const name = file.split("/").at(-1) as string;
    return folder + (name.includes(".") ? name.replace(/^.*?((?:\.d)?\.[a-z]+(?:\.map|\.br|\.gz)?)$/, "*$1") : name);
  };
  return [...new Set(files.map(kind))].sort();
}

test("charter is code, types, pages and a contract: no test, no source, nothing of the service", () => {
  expect(kindsOf(charter.files)).toEqual([
    "*.json",
    "*.md",
    "LICENSE",
    "bin/*.d.ts",
    "bin/*.js",
    "contracts/*.sol",
    "dist/*.d.ts",
    "dist/*.js",
    "dist/*.json",
    "dist/*.md",
    "docs/*.json",
    "docs/*.md",
    "docs/*.png",
  ]);
  expect(charter.files.filter((file) => !file.includes("/"))).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "package.json",
  ]);
  expect(charter.files.filter((file) => file.includes(".test."))).toEqual([]);
});

test("every door is there, with its types", () => {
  const { exports: doors } = JSON.parse(readFileSync(join(charter.home, "package.json"), "utf8"));
  const files = Object.values(doors as Record<string, { types: string; default: string }>).flatMap((door) => [
    door.types,
    door.default,
  ]);
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => !charter.files.includes(file.slice(2)))).toEqual([]);
});

test("its pages are the repository's own, and every page that a message or a comment names is among them", () => {
  expect(filesIn(join(charter.home, "docs"))).toEqual(filesIn(join(root, "docs")));
  const code = charter.files.filter((file) => file.endsWith(".js")).map((file) => join(charter.home, file));
  const named = new Set(
    code.flatMap((file) => [...readFileSync(file, "utf8").matchAll(/\bdocs\/[\w/-]+\.md/g)].map(([page]) => page)),
  );
  expect(named.size).toBeGreaterThan(5);
  expect([...named].filter((page) => !charter.files.includes(page))).toEqual([]);
});

test("each link in its pages leads to something that is in it", () => {
  const pages = charter.files.filter((file) => file.endsWith(".md"));
  const dead = pages.flatMap((page) => {
    const text = readFileSync(join(charter.home, page), "utf8").replace(/^```[\s\S]*?^```$/gm, "");
    const targets = [...text.matchAll(/\]\((?![a-z]+:|#)([^)\s#]+)[^)\s]*\)/gi)].map(([, target]) => target as string);
    return targets
      .filter((target) => !existsSync(join(charter.home, dirname(page), target)))
      .map((to) => `${page}: ${to}`);
  });
  expect(dead).toEqual([]);
});

test("each word of the code stands where it stands in the source: no map is needed", () => {
  const code = charter.files.filter((file) => /^dist\/.*\.js$/.test(file) && !file.includes("/memory/stem"));
  const apart = code.filter((file) => {
    const lines = (path: string) => readFileSync(path, "utf8").split("\n");
    const source = lines(join(root, "charter/src", file.slice("dist/".length).replace(/\.js$/, ".ts")));
    const built = lines(join(charter.home, file));
    // An import names the built file, in as many letters.
    const isFrom = (line: string, at: number) =>
      line
        .split(/\s+/)
        .every((word) => [word, word.replaceAll('.js"', '.ts"')].some((one) => (source[at] ?? "").includes(one)));
    return built.length !== source.length || !built.every(isFrom);
  });
  expect(apart).toEqual([]);
});

test("charter-service is its list of packages, a small module and the studio", () => {
  expect(service.files.filter((file) => !file.startsWith("studio/"))).toEqual([
    "LICENSE",
    "README.md",
    "index.js",
    "package.json",
  ]);
  expect(service.files).toContain("studio/index.html");
  const { dependencies } = JSON.parse(readFileSync(join(service.home, "package.json"), "utf8"));
  expect(Object.keys(dependencies)).toEqual(
    expect.arrayContaining(["pg", "pg-boss", "grammy", "hono", "gpt-tokenizer"]),
  );
});
