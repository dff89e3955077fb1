import { expect, test } from "vitest";
import { before, placeForEach } from "./place.ts";
import { projectIn, promptOf } from "./project.ts";
import { finderOf, namesOf, skillText, toldOf } from "./skill-folder.ts";

/** Whoever opens a pipe to read it waits until somebody writes: a file that is one is named, and never waited for. */

const place = placeForEach();

test("an AGENTS.md that is a pipe is named, and those below it are read", async () => {
  const pipe = place.pipe("work/AGENTS.md");
  place.write("work/app/AGENTS.md", "Still read.");
  const { text, notices } = await promptOf(projectIn(place, { cwd: place.at("work/app") }));
  expect(text).toContain("Still read.");
  expect(notices.map(({ code, message }) => [code, message])).toEqual([
    ["not-a-file", `${pipe} is a pipe, not a file.`],
  ]);
});

test("a SKILL.md that is a pipe, or a link to one, is named, and the others are found", () => {
  place.write("good/SKILL.md", skillText("good"));
  place.pipe("b/SKILL.md");
  place.pipe(".pipe");
  place.link("piped/SKILL.md", "../.pipe");
  const found = finderOf(place).look();
  expect(namesOf(place, found)).toEqual(["good good/SKILL.md"]);
  expect(toldOf(place, found)).toEqual([
    "error not-a-file: ~/b/SKILL.md is no regular file. The file of a skill must be a file.",
    "error not-a-file: ~/piped/SKILL.md is no regular file. The file of a skill must be a file.",
  ]);
});

test("a SKILL.md that becomes a pipe before it is opened is named", () => {
  const on = before(place.write("a/SKILL.md", skillText("a")), () => {
    place.remove("a/SKILL.md");
    place.pipe("a/SKILL.md");
  });
  expect(toldOf(place, finderOf(place, { on }).look())).toEqual([
    "warning not-a-file: ~/a/SKILL.md is a pipe, not a file.",
  ]);
});
