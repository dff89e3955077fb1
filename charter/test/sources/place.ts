import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { type Disk, disk } from "../../src/sources/disk/disk.ts";
import { standFor } from "../stand-for.ts";

/** A real directory on a real disk, to be made a mess of. */
export type Place = {
  readonly root: string;
  readonly at: (name: string) => string;
  readonly write: (name: string, content: string | Uint8Array) => string;
  readonly folder: (name: string) => string;
  readonly link: (name: string, target: string) => string;
  readonly pipe: (name: string) => string;
  readonly remove: (name?: string) => void;
};

export function createPlace(): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "charter-files-")));
  const at = (name: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    return join(root, name);
  };
  const made = (name: string, make: (path: string) => void) => {
    const path = at(name);
    make(path);
    return path;
  };
  return {
    root,
    at,
    write: (name, content) => made(name, (path) => writeFileSync(path, content)),
    folder: (name) => made(name, (path) => mkdirSync(path, { recursive: true })),
    link: (name, target) => made(name, (path) => symlinkSync(target, path)),
    pipe: (name) => made(name, (path) => execFileSync("mkfifo", [path])),
    remove: (name = "") => rmSync(join(root, name), { recursive: true, force: true }),
  };
}

/** A place of each test's own, gone with it. */
export function placeForEach(): Place {
  let place: Place;
  beforeEach(() => {
    place = createPlace();
  });
  afterEach(() => place.remove());
  return standFor(() => place);
}

/** What the system says when a file may not be read. It never says so to root, so a disk says it here. */
export function denied(call: string, path: string): Error {
  return Object.assign(new Error(`EACCES: permission denied, ${call} '${path}'`), { code: "EACCES" });
}

/** The real disk, on which some files may not be opened. */
export function locked(...paths: readonly string[]): Disk {
  const openSync: Disk["openSync"] = (path, ...more) => {
    if (paths.includes(String(path))) throw denied("open", String(path));
    return disk.openSync(path, ...more);
  };
  return { ...disk, openSync };
}

export type Counts = { opened: number; bytes: number; looks: number };

/** The real disk, and how often it was asked. */
export function counting(): { readonly disk: Disk; readonly counts: Counts } {
  const counts = { opened: 0, bytes: 0, looks: 0 };
  const openSync: Disk["openSync"] = (...given) => {
    counts.opened++;
    return disk.openSync(...given);
  };
  const readSync = ((...given: Parameters<typeof disk.readSync>) => {
    const length = disk.readSync(...given);
    counts.bytes += length;
    return length;
  }) as Disk["readSync"];
  const statSync = ((...given: Parameters<typeof disk.statSync>) => {
    counts.looks++;
    return disk.statSync(...given);
  }) as Disk["statSync"];
  const lstatSync = ((...given: Parameters<typeof disk.lstatSync>) => {
    counts.looks++;
    return disk.lstatSync(...given);
  }) as Disk["lstatSync"];
  return { disk: { ...disk, openSync, readSync, statSync, lstatSync }, counts };
}

/** The real disk; just before a file is read, something happens to it. */
export function meddling(meddle: (time: number) => void): Disk {
  let time = 0;
  const readSync = ((...given: Parameters<typeof disk.readSync>) => {
    meddle(++time);
    return disk.readSync(...given);
  }) as Disk["readSync"];
  return { ...disk, readSync };
}

/** The real disk; just before a file is opened, something happens to it. */
export function before(path: string, meddle: () => void): Disk {
  const openSync: Disk["openSync"] = (...given) => {
    if (given[0] === path) meddle();
    return disk.openSync(...given);
  };
  return { ...disk, openSync };
}

/** A clock that is well past whatever was written before it was asked. */
export const later = () => Date.now() + 60_000;
