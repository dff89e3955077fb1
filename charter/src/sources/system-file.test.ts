import { rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { counting, createPlace, later, locked, type Place } from "../../test/sources/place.ts";
import type { Disk } from "./disk/disk.ts";
import { disk } from "./disk/disk.ts";
import { createFiles } from "./disk/file.ts";
import { fileLimits } from "./disk/findings.ts";
import { createSystemFile } from "./project.ts";

let place: Place;
let own: string;
let global: string;
beforeEach(() => {
  place = createPlace();
  [own, global] = [place.at("project/SYSTEM.md"), place.at("home/SYSTEM.md")];
});
afterEach(() => place.remove());

type Setting = { readonly on?: Disk; readonly withheld?: string; readonly system?: number };
const search = ({ on = disk, withheld, system = fileLimits.system }: Setting = {}) =>
  createSystemFile({
    disk: on,
    files: createFiles(on, later),
    limits: { ...fileLimits, system },
    role: "system",
    places: [
      { path: own, place: "project", ...(withheld ? { withheld } : {}) },
      { path: global, place: "global" },
    ],
  });
const words = (path: string, text: string) => ({
  status: "present",
  parts: [{ text, kind: "file", id: path, source: path }],
});
const row = (path: string, more: object) => ({
  path,
  role: "system",
  place: path === own ? "project" : "global",
  used: false,
  ...more,
});

describe("the first that says something", () => {
  test("the project's; the global one is there and is not asked", () => {
    writeFileSync(own, "Project.\n");
    writeFileSync(global, "Global.");
    expect(search()()).toEqual({
      reading: words(own, "Project.\n"),
      considered: [row(own, { used: true, text: "Project.\n" }), row(global, { reason: `${own} is used instead` })],
      diagnostics: [],
    });
  });

  test("the global one, where the project's is empty", () => {
    writeFileSync(own, " \n");
    writeFileSync(global, "Global.");
    expect(search()()).toEqual({
      reading: words(global, "Global."),
      considered: [row(own, { reason: "it is empty" }), row(global, { used: true, text: "Global." })],
      diagnostics: [],
    });
  });

  test("none: empty, so that the charter's own words speak", () => {
    expect(search()()).toEqual({
      reading: { status: "empty" },
      considered: [row(own, { reason: "there is none" }), row(global, { reason: "there is none" })],
      diagnostics: [],
    });
  });

  test("one that is withheld is not even opened", () => {
    writeFileSync(own, "Project.");
    writeFileSync(global, "Global.");
    const { disk: on, counts } = counting();
    expect(search({ on, withheld: "the project is not trusted" })()).toEqual({
      reading: words(global, "Global."),
      considered: [row(own, { reason: "the project is not trusted" }), row(global, { used: true, text: "Global." })],
      diagnostics: [],
    });
    expect(counts.opened).toBe(1);
  });
});

describe("one that is there and cannot be read stops the search", () => {
  const unavailable = (code: string, message: string, reason: string) => ({
    reading: { status: "unavailable", reason: message },
    considered: [row(own, { reason }), row(global, { reason: `${own} is used instead` })],
    diagnostics: [{ severity: "error", code, path: own, message }],
  });
  beforeEach(() => writeFileSync(global, "Global."));

  test("for want of permission", () => {
    writeFileSync(own, "Project.");
    const message = `${own} cannot be read: EACCES: permission denied`;
    expect(search({ on: locked(own) })()).toEqual(unavailable("unreadable", message, "it cannot be read"));
  });

  test("for going round in circles", () => {
    place.link("project/SYSTEM.md", "SYSTEM.md");
    const message = `${own} cannot be read: ELOOP: too many symbolic links encountered`;
    expect(search()()).toEqual(unavailable("unreadable", message, "it cannot be read"));
  });

  test("for being a directory", () => {
    place.folder("project/SYSTEM.md");
    expect(search()()).toEqual(unavailable("not-a-file", `${own} is a directory, not a file.`, "it is not a file"));
  });

  test("for leading nowhere", () => {
    place.link("project/SYSTEM.md", "/nowhere/SYSTEM.md");
    const message = `${own} is a link to a file that is not there.`;
    expect(search()()).toEqual(unavailable("broken-link", message, "it is a link to a file that is not there"));
  });

  test("for being too large: a system prompt is never cut", () => {
    writeFileSync(own, "x".repeat(1001));
    const message = `${own} has more than 1,000 bytes, and a system prompt is never cut. Shorten it.`;
    expect(search({ system: 1000 })()).toEqual(unavailable("too-large", message, "it is too large"));
    writeFileSync(own, "x".repeat(1000));
    expect(search({ system: 1000 })().reading.status).toBe("present");
  });
});

test("what is odd in it is told, and it is used", () => {
  writeFileSync(own, Buffer.from([0x48, 0x69, 0xff]));
  const { reading, diagnostics } = search()();
  const message = `${own}, line 1: bytes that are no UTF-8 were replaced by \uFFFD. Save the file as UTF-8.`;
  expect(diagnostics).toEqual([{ severity: "warning", code: "invalid-utf8", path: own, message }]);
  expect(reading).toEqual({ ...words(own, "Hi\uFFFD"), notices: [{ code: "invalid-utf8", message }] });
});

test("the same look comes back until something changes", () => {
  writeFileSync(own, "Project.");
  const look = search();
  const first = look();
  expect(look()).toBe(first);
  writeFileSync(own, "Other.");
  const second = look();
  expect(second.reading).toEqual(words(own, "Other."));
  expect(look()).toBe(second);
  rmSync(own);
  expect(look().reading).toEqual({ status: "empty" });
});
