import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Disk, disk } from "../disk/disk.ts";
import { charterFolderFiles, openCharterFolder } from "./charter-folder.ts";

const home = mkdtempSync(join(tmpdir(), "charter-folder-"));
afterAll(() => rmSync(home, { recursive: true }));
let number = 0;

const layout = "name: tally\nlayers:\n  - { name: law, mutability: fixed, sections: [rules] }\n";
const whole = { "charter.yaml": layout, "rules.md": "Be kind.\n" };

function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = join(home, `f${number++}`);
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const words = (folder: string, options = {}) =>
  openCharterFolder(folder, options).read().charter({}, {}).layers[0]?.sections[0]?.words;

function faultOf(folder: string, options = {}): string {
  try {
    openCharterFolder(folder, options).read();
    return "none";
  } catch (error) {
    return (error as Error).message.replaceAll(folder, "FOLDER");
  }
}

test("a byte-order mark, line ends of Windows and a last line without an end change nothing", () => {
  expect(words(folderOf({ ...whole, "charter.yaml": `\uFEFF${layout.replaceAll("\n", "\r\n")}` }))).toBe("Be kind.");
  expect(words(folderOf({ ...whole, "rules.md": "\uFEFF---\r\nheading: x\r\n---\r\n\r\nBe\r\nkind." }))).toBe(
    "Be\nkind.",
  );
});

test("what is no charter's text is a fault, and all of it at once", () => {
  const folder = folderOf({
    ...whole,
    "rules.md": "Be\0 kind.",
    "goals.md": Uint8Array.of(0x42, 0xff),
    "Notes.MD": "x",
  });
  writeFileSync(join(folder, "RULES.md"), "x");
  mkdirSync(join(folder, "plans.md"));
  symlinkSync("/etc/passwd", join(folder, "users.md"));
  symlinkSync("rules.md", join(folder, "more.md"));
  expect(faultOf(folder)).toBe(
    "The charter in FOLDER cannot be used. Notes.MD is not read: its name ends in “.md”. RULES.md and rules.md are one file on many disks. Rename one of them. goals.md, line 1: bytes that are no UTF-8 were replaced by \uFFFD. Save the file as UTF-8. more.md is a link. Put the file itself there. plans.md is no file. rules.md, line 1: NUL characters were replaced by \uFFFD. Is this a text file? users.md is a link. Put the file itself there. RULES.md is in no layer: name it in charter.yaml, or take it out of the folder. goals.md is in no layer: name it in charter.yaml, or take it out of the folder.",
  );
});

test("what is not of the charter may lie beside it", () => {
  const folder = folderOf({ ...whole, "README.md": "How.", "notes.txt": "x", ".hidden.md": "x" });
  mkdirSync(join(folder, "cases"));
  expect(words(folder)).toBe("Be kind.");
  expect(charterFolderFiles(folder)?.map((path) => path.slice(folder.length + 1))).toEqual([
    "README.md",
    "charter.yaml",
    "rules.md",
  ]);
});

test("what is no folder, or none of a charter's, says so", () => {
  expect(faultOf(join(home, "nowhere"))).toBe("There is no charter at FOLDER.");
  expect(faultOf(join(folderOf(whole), "rules.md"))).toMatch(/ is no folder\.$/);
  expect(faultOf(folderOf({ "charter.yml": layout }))).toMatch(
    /charter.yml is not read: it is called charter.yaml. There is no charter.yaml/,
  );
});

test("a thousand files are read, and one more is too many; so are bytes", () => {
  const names = Array.from({ length: 999 }, (_, index) => `s${index}`);
  const big = `name: big\nlayers:\n  - { name: law, mutability: fixed, sections: [${names.join(", ")}] }\n`;
  const folder = folderOf({
    "charter.yaml": big,
    ...Object.fromEntries(names.map((name) => [`${name}.md`, `Law of ${name}.`])),
  });
  const opened = openCharterFolder(folder);
  const content = opened.read();
  expect(content.charter({}, {}).layers[0]?.sections).toHaveLength(999);
  expect(opened.read()).toBe(content);
  for (const name of ["one", "two"]) writeFileSync(join(folder, `${name}.md`), "x");
  expect(faultOf(folder)).toMatch(/cannot be used: it has more than 1,000 files\.$/);
  const limits = { files: 5, fileBytes: 100, bytes: 250 };
  expect(faultOf(folderOf({ ...whole, "rules.md": "x".repeat(101) }), { limits })).toMatch(
    /rules.md has more than 100 bytes\./,
  );
  expect(faultOf(folderOf({ ...whole, "rules.md": "x".repeat(100), "README.md": "x".repeat(90) }), { limits })).toMatch(
    /its files have more than 250 bytes\.$/,
  );
});

test("it is read again when a file changes, and is the same object as long as none does", () => {
  const folder = folderOf(whole);
  const opened = openCharterFolder(folder);
  const first = opened.read();
  expect(opened.read()).toBe(first);
  writeFileSync(join(folder, "rules.md"), "Be loud.\n");
  const second = opened.read();
  expect(second.digest).not.toBe(first.digest);
  expect(second.charter({}, {}).layers[0]?.sections[0]?.words).toBe("Be loud.");
  // The same words at another time are the same charter.
  utimesSync(join(folder, "rules.md"), 1, 1);
  expect(opened.read()).toBe(second);
});

/** A disk on which something happens after a file was opened so many times. */
function diskThat(happens: (opened: number) => void): Disk {
  let opened = 0;
  return {
    ...disk,
    openSync: (path, flags) => {
      const file = disk.openSync(path, flags);
      happens(++opened);
      return file;
    },
  };
}

test("a folder in which a file is swapped while another is read is read anew, at one moment", () => {
  const sections = "name: tally\nlayers:\n  - { name: law, mutability: fixed, sections: [a, b] }\n";
  const folder = folderOf({ "charter.yaml": sections, "a.md": "Old a.", "b.md": "Old b." });
  const swap = (opened: number) => {
    // The last of the three files is being read: the first has been.
    if (opened !== 3) return;
    for (const name of ["a", "b"]) {
      writeFileSync(join(folder, "new"), `New ${name}.`);
      renameSync(join(folder, "new"), join(folder, `${name}.md`));
    }
  };
  const { charter } = openCharterFolder(folder, { disk: diskThat(swap) }).read();
  expect(charter({}, {}).layers[0]?.sections.map((section) => section.words)).toEqual(["New a.", "New b."]);
});

test("a file that becomes a link while it is read is not followed", () => {
  const folder = folderOf(whole);
  const secret = folderOf({ "secret.md": "A secret." });
  const swap = () => {
    rmSync(join(folder, "rules.md"), { force: true });
    symlinkSync(join(secret, "secret.md"), join(folder, "rules.md"));
  };
  expect(faultOf(folder, { disk: diskThat(swap) })).toMatch(/rules.md is a link\. Put the file itself there\./);
});

test("a folder that changes each time it is read is given up", () => {
  const folder = folderOf(whole);
  const swap = (opened: number) => writeFileSync(join(folder, "rules.md"), `Be ${opened}.`);
  expect(faultOf(folder, { disk: diskThat(swap) })).toMatch(/cannot be used: it changed each time it was read\.$/);
});
