import { linkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { counting, createPlace, later, locked, type Place } from "../../test/sources/place.ts";
import type { Reading } from "../prompt/reading.ts";
import { createContextFiles } from "./context-files.ts";
import type { Disk } from "./disk/disk.ts";
import { disk } from "./disk/disk.ts";
import { createFiles } from "./disk/file.ts";
import { type FileLimits, fileLimits } from "./disk/findings.ts";

let place: Place;
let cwd: string;
let home: string;
beforeEach(() => {
  place = createPlace();
  [cwd, home] = [place.folder("work/app"), place.folder("home")];
});
afterEach(() => place.remove());

const search = (on: Disk = disk, limits: Partial<FileLimits> = {}) =>
  createContextFiles({
    disk: on,
    files: createFiles(on, later),
    limits: { ...fileLimits, ...limits },
    cwd,
    home,
    trusted: true,
  });
const texts = (reading: Reading) => (reading.status === "present" ? reading.parts.map(({ text }) => text) : reading);
const part = (path: string, text: string) => `## ${path}\n\n${text}`;
/** What was looked at here, and not above the place of this test. */
const here = (look: ReturnType<ReturnType<typeof search>>) =>
  look.considered
    .filter(({ path }) => path.startsWith(place.root))
    .map(({ path, used, reason }) => [path.slice(place.root.length + 1), reason ?? used]);

describe("which files", () => {
  test("the global one, then from the root down; AGENTS.md before CLAUDE.md", () => {
    place.write("home/CLAUDE.md", "Global.\n");
    place.write("AGENTS.md", "Top.");
    place.write("CLAUDE.md", "Top, not read.");
    place.write("work/app/CLAUDE.md", "Here.");
    const look = search()();
    expect(texts(look.reading)).toEqual([
      part(join(home, "CLAUDE.md"), "Global.\n"),
      part(place.at("AGENTS.md"), "Top."),
      part(join(cwd, "CLAUDE.md"), "Here."),
    ]);
    expect(here(look)).toEqual([
      ["home/AGENTS.md", "there is none"],
      ["home/CLAUDE.md", true],
      ["AGENTS.md", true],
      ["CLAUDE.md", `${place.at("AGENTS.md")} is used instead`],
      ["work/AGENTS.md", "there is none"],
      ["work/CLAUDE.md", "there is none"],
      ["work/app/AGENTS.md", "there is none"],
      ["work/app/CLAUDE.md", true],
    ]);
    expect(look.considered.find(({ path }) => path === place.at("AGENTS.md"))).toEqual({
      path: place.at("AGENTS.md"),
      role: "context",
      place: "project",
      used: true,
      text: part(place.at("AGENTS.md"), "Top."),
    });
    expect(look.diagnostics).toEqual([]);
  });

  test("none at all: empty", () => {
    expect(search()().reading).toEqual({ status: "empty" });
  });

  test("an AGENTS.md that is there and empty stands in place of CLAUDE.md, and brings nothing", () => {
    place.write("work/app/AGENTS.md", "\n");
    place.write("work/app/CLAUDE.md", "Not read.");
    const look = search()();
    expect(look.reading).toEqual({ status: "empty" });
    expect(here(look).slice(-2)).toEqual([
      ["work/app/AGENTS.md", "it is empty"],
      ["work/app/CLAUDE.md", `${join(cwd, "AGENTS.md")} is used instead`],
    ]);
  });

  test.each<[what: string, code: string, make: (name: string) => string]>([
    ["a directory", "not-a-file", (name) => place.folder(name)],
    ["a link that leads nowhere", "broken-link", (name) => place.link(name, "nowhere.md")],
  ])("%s named AGENTS.md is told and passed over: CLAUDE.md is asked", (_what, code, make) => {
    const path = make("work/app/AGENTS.md");
    place.write("work/app/CLAUDE.md", "Here.");
    const { reading, diagnostics } = search()();
    expect(texts(reading)).toEqual([part(join(cwd, "CLAUDE.md"), "Here.")]);
    expect(diagnostics.map((one) => [one.code, one.path])).toEqual([[code, path]]);
    expect(reading.notices?.map((one) => one.code)).toEqual([code]);
  });

  test("the path is the one that was given, though a link is on the way", () => {
    place.write("work/app/AGENTS.md", "Here.");
    cwd = join(place.link("short", "work"), "app");
    expect(texts(search()().reading)).toEqual([part(place.at("short/app/AGENTS.md"), "Here.")]);
  });
});

describe("one that cannot be read", () => {
  test("is told; the others stand, and CLAUDE.md is not taken for it", () => {
    const path = place.write("work/app/AGENTS.md", "Secret.");
    place.write("work/app/CLAUDE.md", "Not a substitute.");
    place.write("work/AGENTS.md", "Above.");
    const look = search(locked(path))();
    const message = `${path} cannot be read: EACCES: permission denied`;
    expect(look.reading).toEqual({
      status: "present",
      parts: [expect.objectContaining({ text: part(place.at("work/AGENTS.md"), "Above.") })],
      notices: [{ code: "unreadable", message }],
    });
    expect(here(look).slice(-2)).toEqual([
      ["work/app/AGENTS.md", "it cannot be read"],
      ["work/app/CLAUDE.md", `${path} is used instead`],
    ]);
  });

  test("alone: nobody knows what it says, which is not nothing", () => {
    const path = place.link("work/app/AGENTS.md", "AGENTS.md");
    expect(search()().reading).toEqual({
      status: "unavailable",
      reason: `${path} cannot be read: ELOOP: too many symbolic links encountered`,
    });
  });
});

describe("each file once", () => {
  test("by a link, by a second name, or because the working directory is the global one", () => {
    const first = place.write("home/AGENTS.md", "Shared.");
    place.link("work/AGENTS.md", "../home/AGENTS.md");
    linkSync(first, place.at("work/app/AGENTS.md"));
    const look = search()();
    expect(texts(look.reading)).toEqual([part(first, "Shared.")]);
    expect(here(look).filter(([path]) => String(path).startsWith("work") && String(path).includes("AGENTS"))).toEqual([
      ["work/AGENTS.md", `it is the same file as ${first}`],
      ["work/app/AGENTS.md", `it is the same file as ${first}`],
    ]);
    cwd = home;
    expect(texts(search()().reading)).toEqual([part(first, "Shared.")]);
  });

  test("but two files with the same words are two", () => {
    place.write("home/AGENTS.md", "Shared.");
    place.write("work/AGENTS.md", "Shared.");
    expect(texts(search()().reading)).toHaveLength(2);
  });
});

describe("limits", () => {
  test("a large file is cut at the end of a line, which the model and the operator are told", () => {
    const path = place.write("work/app/AGENTS.md", "A line of words.\n".repeat(1000));
    const { disk: on, counts } = counting();
    const look = search(on, { contextFile: 200 })();
    const [text] = texts(look.reading) as string[];
    expect(text).toBe(
      part(path, `${"A line of words.\n".repeat(8)}\n(cut here: 16,865 more bytes; read the file for the rest)`),
    );
    expect(counts.bytes).toBe(200);
    const message = `${path} is too large: 16,865 bytes were left out (the limit is 200).`;
    expect(look.diagnostics).toEqual([{ severity: "warning", code: "too-large", path, message }]);
    expect(look.considered.at(-1)).toMatchObject({ used: true, reason: "cut: 16,865 bytes of it were left out" });
  });

  test("together: what is nearest to the working directory stands, and what does not is told", () => {
    const far = place.write("home/AGENTS.md", "g".repeat(500));
    place.write("AGENTS.md", "t".repeat(50));
    const near = place.write("work/app/AGENTS.md", "h".repeat(300));
    const look = search(disk, { context: 700 })();
    expect(texts(look.reading)).toEqual([
      "(Left out to fit: 1 context file farther from the working directory. Read it when it matters.)",
      part(place.at("AGENTS.md"), "t".repeat(50)),
      part(near, "h".repeat(300)),
    ]);
    const message = `${far} was left out: context files nearer to the working directory fill the 700 bytes there are for all.`;
    expect(look.diagnostics).toEqual([{ severity: "error", code: "no-room", path: far, message }]);
    expect(here(look)[0]).toEqual(["home/AGENTS.md", "nearer context files fill the room"]);
  });

  test("a hundred files as large as may be stay within them", () => {
    cwd = place.folder(Array.from({ length: 100 }, (_, index) => `d${index}`).join("/"));
    for (let directory = cwd; directory !== place.root; directory = join(directory, ".."))
      writeFileSync(join(directory, "AGENTS.md"), "words and words\n".repeat(50));
    const { reading, diagnostics } = search(disk, { contextFile: 500, context: 5000 })();
    const shown = texts(reading) as string[];
    expect(Buffer.byteLength(shown.join("\n\n"))).toBeLessThanOrEqual(5000);
    expect(shown.at(-1)).toContain(`## ${cwd}/AGENTS.md`);
    expect(diagnostics).toHaveLength(100);
    expect(reading.notices).toHaveLength(21);
  });
});

describe("names in other capitals", () => {
  test.each(["agents.md", "Agents.md", "AGENTS.MD"])("%s beside the working directory's files is told", (name) => {
    const path = place.write(`work/app/${name}`, "Not read.");
    const look = search()();
    const message = `${path} is not read: the name must be AGENTS.md.`;
    expect(look.diagnostics).toEqual([{ severity: "warning", code: "case-variant", path, message }]);
    expect(look.reading).toEqual({ status: "empty", notices: [{ code: "case-variant", message }] });
    expect(here(look)).toContainEqual([`work/app/${name}`, "the name that is read is AGENTS.md"]);
  });

  test("in the global directory too; and claude.md, unless an AGENTS.md stands", () => {
    const path = place.write("home/claude.md", "Not read.");
    expect(search()().diagnostics.map((one) => [one.code, one.path])).toEqual([["case-variant", path]]);
    place.write("home/AGENTS.md", "Read.");
    expect(search()().diagnostics).toEqual([]);
  });

  test("not where the right name is there, and not in directories above", () => {
    place.write("work/app/AGENTS.md", "Read.");
    place.write("work/app/agents.md", "Not read.");
    place.write("work/agents.md", "Not read.");
    expect(search()().diagnostics).toEqual([]);
  });
});

describe("from look to look", () => {
  test("the same objects come back while nothing changes, and nothing is opened", () => {
    place.write("home/AGENTS.md", "Global.");
    place.write("work/app/AGENTS.md", "Here.");
    const { disk: on, counts } = counting();
    const look = search(on);
    const first = look();
    expect(look()).toBe(first);
    expect(counts.opened).toBe(2);
  });

  test("what changed is another part; the others are the same", () => {
    place.write("home/AGENTS.md", "Global.");
    const path = place.write("work/app/AGENTS.md", "Here.");
    const look = search();
    const before = look().reading;
    writeFileSync(path, "Here, anew.");
    const after = look().reading;
    if (before.status !== "present" || after.status !== "present") throw new Error("There were words.");
    expect(after.parts[0]).toBe(before.parts[0]);
    expect(after.parts[1]?.text).toBe(part(path, "Here, anew."));
    rmSync(path);
    expect(texts(look().reading)).toEqual([part(join(home, "AGENTS.md"), "Global.")]);
  });

  test("a file that becomes a link to another is seen, though its words are the same", () => {
    place.write("home/AGENTS.md", "Shared.");
    const path = place.write("work/app/AGENTS.md", "Shared.");
    const look = search();
    expect(texts(look().reading)).toHaveLength(2);
    rmSync(path);
    place.link("work/app/AGENTS.md", "../../home/AGENTS.md");
    expect(texts(look().reading)).toHaveLength(1);
  });
});
