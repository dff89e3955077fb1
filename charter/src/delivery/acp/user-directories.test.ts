import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { directoryId, findUserDirectories, placeName, removeDirectory, safeName } from "./acp-agents.ts";
import { sha256 } from "./ask-agent.ts";

function homeWith(...places: [program: string, agent: string, user: string | undefined][]): [string, string[]] {
  const home = mkdtempSync(join(tmpdir(), "acp-home-"));
  const made = places.map(([program, agent, user]) => {
    const whose = user === undefined ? { agent, operator: true } : { agent, user, operator: false };
    const path = join(home, safeName(program, sha256), placeName(whose, sha256));
    mkdirSync(path, { recursive: true });
    return path;
  });
  return [home, made];
}

test("a user's directories are found with all programs and agents, or with one agent; nobody else's are", () => {
  const [home, [one, two, other]] = homeWith(
    ["claude", "ada", "bo"],
    ["codex", "eve", "bo"],
    ["claude", "eve", "bo"],
    ["claude", "ada", "Bo"],
    ["claude", "ada", "cy"],
    ["claude", "ada", undefined],
  );
  mkdirSync(join(home, safeName("claude", sha256), "seen"));
  writeFileSync(join(home, "notes.txt"), "");
  expect(findUserDirectories(home, { user: "bo" }, sha256).toSorted()).toEqual([one, two, other].toSorted());
  expect(findUserDirectories(home, { user: "bo", agent: "ada" }, sha256)).toEqual([one]);
  for (const user of ["b", "", "..", "operator"]) expect(findUserDirectories(home, { user }, sha256)).toEqual([]);
  expect(findUserDirectories(join(home, "none"), { user: "bo" }, sha256)).toEqual([]);
});

test("all that is in it is removed, also what nobody may write to; what a link leads to stays", () => {
  const [home, [path = ""]] = homeWith(["claude", "ada", "bo"]);
  const kept = join(home, "kept.txt");
  writeFileSync(kept, "mine");
  symlinkSync(kept, join(path, "file"));
  symlinkSync(home, join(path, "folder"));
  mkdirSync(join(path, "cache", "deep"), { recursive: true });
  writeFileSync(join(path, "cache", "deep", "module"), "", { mode: 0o400 });
  for (const locked of [join(path, "cache", "deep"), join(path, "cache")]) chmodSync(locked, 0o500);
  removeDirectory(path);
  expect([existsSync(path), existsSync(kept)]).toEqual([false, true]);
  removeDirectory(path);
});

test("a directory that was made again is another", () => {
  const [, [path = ""]] = homeWith(["claude", "ada", "bo"]);
  const before = directoryId(path);
  writeFileSync(join(path, "notes.txt"), "");
  mkdirSync(join(path, "src"));
  expect(directoryId(path)).toBe(before);
  rmSync(path, { recursive: true });
  expect(directoryId(path)).toBe(undefined);
  mkdirSync(`${path}-2`);
  mkdirSync(path);
  expect(directoryId(path)).not.toBe(before);
});
