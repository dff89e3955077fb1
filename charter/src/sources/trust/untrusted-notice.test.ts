import { expect, test } from "vitest";
import { unusedReasons } from "../disk/file.ts";
import type { ConsideredFile, Role } from "../disk/findings.ts";
import { untrustedNotice } from "../project.ts";

const withheld = (role: Role, path: string): ConsideredFile => ({
  path,
  role,
  place: "project",
  used: false,
  reason: unusedReasons.untrusted,
});
const message = (what: string) =>
  `The project is not trusted, so the prompt was built without ${what}. Look at what it brings, then run “charter trust”.`;

test("a project that brings nothing of the kind needs no trust", () => {
  const considered: ConsideredFile = { ...withheld("system", "/p/SYSTEM.md"), reason: unusedReasons.absent };
  expect(untrustedNotice([considered], false)).toBeUndefined();
});

test.each<[considered: ConsideredFile[], extensions: boolean, what: string]>([
  [[withheld("system", "/p/SYSTEM.md")], false, "/p/SYSTEM.md"],
  [[withheld("skill", "/p/a/SKILL.md")], false, "1 skill"],
  [[], true, "its extensions"],
  [
    [
      withheld("system", "/p/SYSTEM.md"),
      withheld("append", "/p/APPEND_SYSTEM.md"),
      ...Array.from({ length: 1200 }, (_, index) => withheld("skill", `/p/${index}/SKILL.md`)),
    ],
    true,
    "/p/SYSTEM.md, /p/APPEND_SYSTEM.md, 1,200 skills and its extensions",
  ],
])("one notice names everything that was left out", (considered, extensions, what) => {
  expect(untrustedNotice(considered, extensions)).toEqual({ code: "untrusted", message: message(what) });
});
