import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import { packageMissing, packageOf } from "../../src/packages/load-package.ts";

const home = resolve(import.meta.dirname, "../..");
const source = join(home, "src");

type Manifest = {
  readonly version: string;
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
};
const read = (folder: string): Manifest => JSON.parse(readFileSync(join(home, folder, "package.json"), "utf8"));
const [charter, service] = [read("."), read("../service")];

test("every door of the package is built from a file that is there; the doors' tests build it and go through them", () => {
  const entries = Object.entries(charter.exports);
  expect(entries.length).toBeGreaterThan(5);
  for (const [door, { "charter-source": source = "", types, default: built }] of entries) {
    const file = source.replace(/^\.\/src\/(.*)\.ts$/, "$1");
    expect([door, existsSync(join(home, source)), types, built]).toEqual([
      door,
      true,
      `./dist/${file}.d.ts`,
      `./dist/${file}.js`,
    ]);
  }
});

/** What a file imports when it is loaded, or later, besides types. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, "utf8").replace(/typeof import\("[^"]+"\)/g, "");
  const found = text.matchAll(
    /^(?:import|export) (?!type )[^"';]*?\bfrom "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm,
  );
  return [...found].map(([, from, bare, later]) => (from ?? bare ?? later) as string);
}

/** Behind this file is the server, whose files import their packages at once. It asks first whether they are there. */
const gate = "server/open.ts";

function packagesFrom(files: readonly string[]): ReadonlyMap<string, string> {
  const packages = new Map<string, string>();
  const seen = new Set<string>();
  const walk = (file: string): void => {
    if (seen.has(file) || !existsSync(file)) return;
    seen.add(file);
    for (const from of importsOf(file)) {
      const name = packageOf(from);
      if (name !== undefined) packages.set(name, relative(source, file));
      else if (from.startsWith(".") && !(relative(source, file) === gate && /^\.\/(?:app|listen)/.test(from)))
        walk(resolve(dirname(file), from));
    }
  };
  for (const file of files) walk(file);
  expect(seen.size).toBeGreaterThan(200);
  return packages;
}

test("doors and command import nothing but charter's own dependencies, whatever they load later", () => {
  const doors = Object.values(charter.exports).map((door) => join(home, door["charter-source"] as string));
  const command = join(source, "cli/main.ts");
  // The stemmers are copied into the package as it is built.
  const brought = { ...charter.dependencies, "@orama/stemmers": "copied" };
  const others = [...packagesFrom([...doors, command])].filter(([name]) => !(name in brought));
  expect(others.map(([name, file]) => `${file} → ${name}`)).toEqual([]);
});

test("what the server's files and loadPackage name, charter-service brings; both packages have one version", () => {
  const server = ["server/app.ts", "server/listen.ts"].map((file) => join(source, file));
  const loaded = readFileSync(join(source, "packages/load-package.ts"), "utf8").matchAll(
    /(?:typeof import\(|type PackageFile = )"([^"]+)"/g,
  );
  const wanted = [
    ...packagesFrom(server).keys(),
    ...[...loaded].map(([, name]) => packageOf(name as string) as string),
  ];
  const brought = { ...charter.dependencies, ...service.dependencies };
  expect(wanted).toEqual(expect.arrayContaining(["hono", "@hono/node-server", "pg"]));
  // What few need, a project installs by itself, in the release that the Problem names.
  expect([...new Set(wanted)].filter((name) => !(name in brought))).toEqual(["viem"]);
  expect(packageMissing("viem", { purpose: "It" }).hint).toBe(`Run npm install viem@${charter.peerDependencies.viem}.`);
  expect(new Set(wanted)).toEqual(new Set([...wanted, ...Object.keys(service.dependencies)]));
  expect([service.version, charter.peerDependencies["charter-service"]]).toEqual([charter.version, charter.version]);
  expect(service.dependencies.zod).toBe(charter.dependencies.zod);
});
