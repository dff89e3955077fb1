import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Prompt } from "../../src/index.ts";
import { disk } from "../../src/sources/disk/disk.ts";
import { counting, later, placeForEach } from "./place.ts";
import { projectIn, promptOf, skill } from "./project.ts";

/** Directories as nobody would make them, and as they are found. A prompt is built, and what is wrong is named. */

const place = placeForEach();

const told = ({ notices }: Prompt) => notices.map(({ code, section, message }) => [section, code, message]);
const context = (...files: readonly (readonly [path: string, words: string])[]) =>
  `# Project Context\n\nProject-specific instructions and guidelines:\n\n${files.map(([path, words]) => `## ${path}\n\n${words}`).join("\n\n")}`;

describe("what is no file", () => {
  test("a directory, a device, a circle of links and a link into nothing, all named AGENTS.md", async () => {
    const folder = place.folder("AGENTS.md");
    const device = place.link("work/a/AGENTS.md", "/dev/zero");
    const first = place.link("work/a/b/AGENTS.md", "CLAUDE.md");
    place.link("work/a/b/CLAUDE.md", "AGENTS.md");
    const nowhere = place.link("work/a/b/c/AGENTS.md", "/nowhere/AGENTS.md");
    const below = place.write("work/a/b/c/d/AGENTS.md", "Still read.");
    const prompt = await promptOf(projectIn(place, { cwd: place.at("work/a/b/c/d") }));
    expect(prompt.text).toContain(context([below, "Still read."]));
    expect(told(prompt)).toEqual([
      ["project", "not-a-file", `${folder} is a directory, not a file.`],
      ["project", "not-a-file", `${device} is a device, not a file.`],
      ["project", "unreadable", `${first} cannot be read: ELOOP: too many symbolic links encountered`],
      ["project", "broken-link", `${nowhere} is a link to a file that is not there.`],
    ]);
  });

  test("a working directory that holds links to itself and to what is above it", async () => {
    const path = place.write("work/app/AGENTS.md", "Here.");
    place.link("work/app/self", ".");
    place.link("work/app/up", "../..");
    const cwd = join(place.root, "work/app/self/up/work/app/self");
    const { text } = await promptOf(projectIn(place, { cwd }));
    expect(text).toContain(context([path, "Here."]));
    expect(text.match(/Here\./g)).toHaveLength(1);
  });

  test("a configuration directory that is a file, and one that leads nowhere", async () => {
    place.write("work/app/.charter", "What is this?");
    place.link("home/skills", "/nowhere/skills");
    const prompt = await promptOf(projectIn(place));
    expect(prompt.text).toContain("purpose-driven");
  });

  test("a working directory and a home that are gone", async () => {
    const project = projectIn(place);
    place.remove("work");
    place.remove("home");
    const prompt = await promptOf(project);
    expect(prompt.text).toContain(`Current working directory: ${project.cwd}`);
    expect(told(prompt)).toEqual([]);
  });
});

describe("what is too much", () => {
  test("a context file of 10 MB costs no more than its limit: in bytes read, and in the prompt", async () => {
    const line = "Ten million bytes of good advice, line after line after line.\n";
    const path = place.write("work/app/AGENTS.md", line.repeat(Math.ceil(10_000_000 / line.length)));
    const { disk: counted, counts } = counting();
    const prompt = await promptOf(projectIn(place, { disk: counted, now: later }));
    expect(counts).toMatchObject({ opened: 1, bytes: 131_072 });
    const part = prompt.spans.find(({ source }) => source === path);
    if (!part) throw new Error("It is in the prompt.");
    const words = prompt.text.slice(part.start, part.end);
    expect(Buffer.byteLength(words)).toBeLessThanOrEqual(131_072 + Buffer.byteLength(`## ${path}\n\n`));
    expect(words).toMatch(/line\.\n\n\(cut here: 9,86\d,\d{3} more bytes; read the file for the rest\)\s*$/);
    expect(prompt.notices).toMatchObject([{ code: "too-large", section: "project" }]);
    expect(prompt.notices[0]?.message).toContain(path);
  });
});

describe("what is no plain text", () => {
  test.each<[what: string, bytes: Buffer, words: string, code: string | undefined]>([
    ["bytes that are no UTF-8", Buffer.from([0x48, 0x69, 0xc3, 0x28, 0xff]), "Hi\uFFFD(\uFFFD", "invalid-utf8"],
    ["NUL bytes", Buffer.from("a\0b"), "a\uFFFDb", "nul-character"],
  ])("%s", async (_what, bytes, words, code) => {
    const path = place.write("work/app/AGENTS.md", bytes);
    const prompt = await promptOf(projectIn(place));
    expect(prompt.text).toContain(`${context([path, words])}\n\nCurrent date`);
    expect(prompt.notices.map((one) => one.code)).toEqual(code === undefined ? [] : [code]);
    for (const { message } of prompt.notices) expect(message).toContain(path);
  });

  test("every byte there is, in every file", async () => {
    const bytes = Buffer.concat([Buffer.from("Words: "), Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))]);
    const paths = ["work/app/.charter/SYSTEM.md", "work/app/.charter/APPEND_SYSTEM.md", "work/app/AGENTS.md"];
    for (const path of paths) place.write(path, bytes);
    const prompt = await promptOf(projectIn(place));
    expect(prompt.text.match(/Words: /g)).toHaveLength(3);
    expect(prompt.notices.map(({ section, code }) => [section, code])).toEqual(
      ["base", "append", "project"].flatMap((section) => [
        [section, "invalid-utf8"],
        [section, "nul-character"],
      ]),
    );
  });
});

test.each(["new\nline", 'quo"te', "# heading", "</skill>", "\u202Etxet", "a b", "ünï€👋"])(
  "a working directory called %j breaks no line",
  async (name) => {
    const cwd = place.folder(`work/${name}`);
    place.write(`work/${name}/AGENTS.md`, Buffer.from([0x48, 0x69, 0xff]));
    place.write(`work/${name}/.charter/skills/good/SKILL.md`, skill("good"));
    const prompt = await promptOf(projectIn(place, { cwd }));
    const shown = /[\n\u202E]/.test(name)
      ? JSON.stringify(`${cwd}/AGENTS.md`).replace("\u202E", "\\u202e")
      : `${cwd}/AGENTS.md`;
    expect(prompt.text).toContain(context([shown, "Hi\uFFFD"]));
    expect(prompt.notices).toMatchObject([{ code: "invalid-utf8", message: expect.stringContaining(shown) }]);
  },
);

describe("what does not hold still", () => {
  test("directories that come and go between the calls", async () => {
    place.write("work/app/AGENTS.md", "Here.");
    let time = 0;
    const lstatSync = ((...given: Parameters<typeof disk.lstatSync>) => {
      if (++time % 3 === 0) place.remove("work/app/.charter");
      else place.write("work/app/.charter/SYSTEM.md", "You are a poet.");
      return disk.lstatSync(...given);
    }) as typeof disk.lstatSync;
    const project = projectIn(place, { disk: { ...disk, lstatSync } });
    for (let turn = 0; turn < 10; turn++) expect((await promptOf(project)).text).toContain("Here.");
  });
});
