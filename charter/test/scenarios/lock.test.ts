import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { memoryWords, safetyWords, shortMemoryWords } from "../../src/charters/assistant/assistant.ts";
import { fixedLayers } from "../../src/charters/sovereign/words.ts";
import { charter, createFolder, type Files, type Folder } from "../cli.ts";

/** The fixed words are pinned: what changed in them is found at every start, and named. */

const sha256 = (text: string) => createHash("sha256").update(text, "utf8").digest("hex");

type LockFile = {
  version: number;
  charters: Record<string, Record<string, { words: string; short?: string }>>;
  files?: Record<string, string>;
};

function folderOf(files: Files = {}): Folder {
  const folder = createFolder(files);
  onTestFinished(folder.remove);
  return folder;
}

function lockedFolder(files: Files = {}): Folder {
  const folder = folderOf(files);
  expect(folder.charter(["lock"]).code).toBe(0);
  return folder;
}

function edit(folder: Folder, change: (lock: LockFile) => void): void {
  const lock = JSON.parse(folder.read("charter.lock")) as LockFile;
  change(lock);
  folder.write("charter.lock", JSON.stringify(lock));
}

const firstLine = (stderr: string) => stderr.split("\n")[0];

const poet = (words: string) => `import { defineCharter } from "charter";
export default defineCharter({
  name: "poet",
  layers: [
    { name: "law", mutability: "fixed", sections: [{ name: "law", words: ${JSON.stringify(words)} }] },
    { name: "voice", mutability: { amendableBy: ["agent"], scope: "agent" }, sections: [{ name: "voice", original: "Softly." }] },
  ],
});
`;

describe("charter lock", () => {
  test("writes the digests of all fixed sections, and verify agrees", () => {
    const folder = folderOf();
    expect(folder.charter(["lock"])).toMatchObject({
      code: 0,
      stdout: "Locked 8 fixed sections of 5 charters in charter.lock.\n",
      stderr: "",
    });
    expect(folder.names()).toEqual(["charter.lock"]);
    expect(JSON.parse(folder.read("charter.lock"))).toEqual({
      version: 1,
      charters: {
        artifact: {},
        assistant: {
          safety: { words: sha256(safetyWords) },
          memory: { words: sha256(memoryWords), short: sha256(shortMemoryWords) },
        },
        sovereign: Object.fromEntries(
          fixedLayers({}).map(({ section, words, wordings, short }) => [
            section,
            { words: sha256(wordings?.join("\n") ?? words), ...(short === undefined ? {} : { short: sha256(short) }) },
          ]),
        ),
        coder: {},
        resident: {},
      },
    });
    expect(folder.charter(["verify"])).toMatchObject({
      code: 0,
      stdout: "All 8 fixed sections of 5 charters are as locked in charter.lock.\n",
      stderr: "",
    });
  });

  test("is the same file when nothing changed", () => {
    const folder = lockedFolder();
    const before = folder.read("charter.lock");
    expect(folder.charter(["lock"]).stdout).toBe(
      "Locked 8 fixed sections of 5 charters in charter.lock.\nNo fixed text changed.\n",
    );
    expect(folder.read("charter.lock")).toBe(before);
  });

  test("answers in JSON, and to another file", () => {
    const folder = folderOf();
    const other = ["--lock", "other.lock", "--json"];
    expect(folder.charter(["lock", ...other]).json()).toEqual({
      lock: "other.lock",
      charters: 5,
      fixed: 8,
      differences: [],
    });
    expect(folder.names()).toEqual(["other.lock"]);
    expect(folder.charter(["verify", ...other]).json()).toEqual({ verified: true, charters: 5, fixed: 8 });
    expect(folder.charter(["lock", "--diff", ...other]).json()).toEqual({ differences: [] });
    expect(folder.charter(["show", "--charter", "sovereign", "--lock", "other.lock"]).code).toBe(0);
  });

  test("settings rendered into fixed layers do not touch it", () => {
    const folder = lockedFolder();
    const facts = JSON.stringify({ soul: "eva", skills: [{ name: "a", instructions: "b" }] });
    expect(folder.charter(["show", "--charter", "sovereign", "--input", "-"], facts).code).toBe(0);
  });
});

describe("a digest that does not agree", () => {
  test("an edited digest: every start fails and names the section", () => {
    const folder = lockedFolder();
    edit(folder, ({ charters }) => {
      (charters.sovereign as Record<string, unknown>).constitution = { words: sha256("No rules.") };
    });
    const lock = folder.read("charter.lock");
    const commands = [
      ["verify"],
      ["show", "--charter", "sovereign"],
      ["why", "--charter", "sovereign", "law"],
      ["amend", "--charter", "sovereign", "--section", "6", "--operation", "reset", "--dry-run"],
    ];
    for (const command of commands) {
      const answer = folder.charter(command);
      expect([command[0], answer.code, answer.stdout, firstLine(answer.stderr)]).toEqual([
        ...[command[0], 2, ""],
        "lock-mismatch: The fixed text of “sovereign” differs from charter.lock: “constitution (changed)”.",
      ]);
    }
    expect(folder.charter(["show", "--charter", "artifact"]).code).toBe(0);
    expect([folder.names(), folder.read("charter.lock")]).toEqual([["charter.lock"], lock]);
  });

  test("several are all named, and the problem comes as JSON too", () => {
    const folder = lockedFolder();
    edit(folder, ({ charters }) => {
      (charters.sovereign as Record<string, unknown>).constitution = { words: "0" };
      delete charters.sovereign?.ethics;
    });
    const answer = folder.charter(["show", "--charter", "sovereign", "--json"]);
    expect([answer.code, answer.json()]).toEqual([
      2,
      {
        problem: {
          code: "lock-mismatch",
          message:
            "The fixed text of “sovereign” differs from charter.lock: “constitution (changed)”, “ethics (added)”.",
          hint: "See what changed with `charter lock --diff`; if the change is meant, run `charter lock` and commit the file.",
        },
      },
    ]);
  });

  test("lock --diff shows it, exit code 1, and writes nothing; lock takes it up", () => {
    const folder = lockedFolder();
    edit(folder, ({ charters }) => {
      (charters.sovereign as Record<string, unknown>).constitution = { words: "0" };
      delete charters.assistant?.safety;
    });
    const before = folder.read("charter.lock");
    expect(folder.charter(["lock", "--diff"])).toMatchObject({
      code: 1,
      stdout: "added    assistant: safety\nchanged  sovereign: constitution\n",
    });
    expect(folder.charter(["lock", "--diff", "--json"]).json()).toEqual({
      differences: [
        { charter: "assistant", section: "safety", what: "added" },
        { charter: "sovereign", section: "constitution", what: "changed" },
      ],
    });
    expect(folder.read("charter.lock")).toBe(before);
    expect(folder.charter(["lock"]).code).toBe(0);
    expect(folder.charter(["lock", "--diff"])).toMatchObject({ code: 0, stdout: "No fixed text changed.\n" });
    expect(folder.charter(["verify"]).code).toBe(0);
  });

  test("verify does not pass a charter whose entry was taken out of the lock", () => {
    const folder = lockedFolder();
    edit(folder, ({ charters }) => {
      delete charters.sovereign;
    });
    const answer = folder.charter(["verify"]);
    expect(answer.code).toBe(2);
    expect(firstLine(answer.stderr)).toMatch(/^lock-mismatch: .*“sovereign”.*constitution/);
  });
});

describe("charters of one's own", () => {
  test("are locked once they are named, and known from then on", () => {
    const folder = folderOf({ "agents/poet.ts": poet("Never bore anyone.") });
    expect(folder.charter(["lock", "--charter", "agents/poet.ts"]).stdout).toBe(
      "Locked 9 fixed sections of 6 charters, yours and the ready-made ones, in charter.lock.\n",
    );
    const { charters, files } = JSON.parse(folder.read("charter.lock")) as LockFile;
    expect([charters.poet, files]).toEqual([
      { law: { words: sha256("Never bore anyone."), text: ["Never bore anyone."] } },
      { poet: "./agents/poet.ts" },
    ]);
    expect(folder.charter(["lock", "--charter", "agents/poet.ts"]).stdout).toBe(
      "Locked 9 fixed sections of 6 charters, yours and the ready-made ones, in charter.lock.\nNo fixed text changed.\n",
    );
    expect(folder.charter(["verify", "--charter", "agents/poet.ts"]).stdout).toBe(
      "All 9 fixed sections of 6 charters are as locked in charter.lock.\n",
    );

    folder.write("agents/poet.ts", poet("Bore everyone."));
    const mismatch = "lock-mismatch: The fixed text of “poet” differs from charter.lock: “law (changed)”.";
    for (const command of [
      ["verify", "--charter", "agents/poet.ts"],
      ["show", "--charter", "agents/poet.ts"],
    ]) {
      const answer = folder.charter(command);
      expect([answer.code, answer.stdout, firstLine(answer.stderr)]).toEqual([2, "", mismatch]);
    }
    expect(folder.charter(["lock", "--diff", "--charter", "agents/poet.ts"])).toMatchObject({
      code: 1,
      stdout: "changed  poet: law\n",
    });
    expect(folder.charter(["lock", "--charter", "agents/poet.ts"]).code).toBe(0);
    expect(folder.charter(["show", "--charter", "agents/poet.ts"]).stdout).toBe("Bore everyone.\n\nSoftly.");
  });

  test("changing what may be changed is no matter for the lock", () => {
    const folder = folderOf({ "poet.ts": poet("Never bore anyone.") });
    folder.charter(["lock", "--charter", "poet.ts"]);
    folder.write("poet.ts", poet("Never bore anyone.").replace("Softly.", "Loudly."));
    expect(folder.charter(["verify", "--charter", "poet.ts"]).code).toBe(0);
  });

  test("one that is gone is a problem that names it", () => {
    const folder = folderOf({ "poet.ts": poet("Never bore anyone.") });
    folder.charter(["lock", "--charter", "poet.ts"]);
    edit(folder, (lock) => {
      lock.files = { poet: "./gone.ts" };
    });
    const answer = folder.charter(["verify"]);
    expect([answer.code, firstLine(answer.stderr)]).toEqual([2, "no-such-file: There is no charter at ./gone.ts."]);
  });

  test("one with the name of another is refused, and nothing is written", () => {
    const folder = folderOf({ "mine.ts": poet("Do as you like.").replace('"poet"', '"sovereign"') });
    const answer = folder.charter(["lock", "--charter", "mine.ts"]);
    expect([answer.code, folder.names()]).toEqual([2, ["mine.ts"]]);
    expect(answer.stderr).toContain("sovereign");
  });

  const named = (name: string, words = "Bore everyone.") => poet(words).replace('"poet"', JSON.stringify(name));
  test("one that was locked does not get out of its lock by another name", () => {
    const name = "poet ";
    const folder = folderOf({ "poet.ts": poet("Never bore anyone.") });
    folder.charter(["lock", "--charter", "poet.ts"]);
    folder.write("poet.ts", named(name));
    const mismatch = (file: string) =>
      `lock-mismatch: The charter at ${file} is called “${name}”, and was locked as “poet”.`;
    const seen = [
      ["verify", "--charter", "poet.ts"],
      ["show", "--charter", "poet.ts"],
      ["show", "--charter", join(folder.path, "poet.ts")],
    ];
    expect(seen.map((command) => firstLine(folder.charter(command).stderr))).toEqual([
      mismatch("./poet.ts"),
      mismatch("poet.ts"),
      mismatch(join(folder.path, "poet.ts")),
    ]);
    expect(folder.charter(["lock", "--diff", "--charter", "poet.ts"])).toMatchObject({
      code: 1,
      stdout: `added    ${name}: law\nremoved  poet: law\n`,
    });
    expect(folder.charter(["lock", "--charter", "poet.ts"]).code).toBe(0);
    expect(folder.charter(["verify", "--charter", "poet.ts"]).code).toBe(0);
    expect(folder.charter(["show", "--charter", "poet.ts"]).code).toBe(0);
  });

  test("one that the lock pins and no file is known for is named; by its name it is compared as ever", () => {
    const folder = folderOf({ "poet.ts": poet("Never bore anyone.") });
    folder.charter(["lock", "--charter", "poet.ts"]);
    edit(folder, (lock) => {
      delete lock.files;
    });
    expect(firstLine(folder.charter(["verify"]).stderr)).toBe(
      "lock-mismatch: charter.lock pins “poet”, and does not say where to find it.",
    );
    expect(folder.charter(["show", "--charter", "poet.ts"]).code).toBe(0);
    folder.write("poet.ts", poet("Bore everyone."));
    expect(firstLine(folder.charter(["show", "--charter", "poet.ts"]).stderr)).toBe(
      "lock-mismatch: The fixed text of “poet” differs from charter.lock: “law (changed)”.",
    );
    folder.write("poet.ts", poet("Never bore anyone."));
    expect(folder.charter(["lock", "--charter", "poet.ts"]).code).toBe(0);
    expect(folder.charter(["verify", "--charter", "poet.ts"]).code).toBe(0);
  });

  test("one that is only in the lock file, which may have come with the folder, is run when it is trusted", () => {
    const folder = folderOf({ "poet.ts": `process.stderr.write("RUN\\n");\n${poet("Never bore anyone.")}` });
    folder.charter(["lock", "--charter", "poet.ts"]);
    const home = createFolder();
    const run = (...args: readonly string[]) => charter(args, { cwd: folder.path, env: { HOME: home.path } });
    const not =
      "charter-untrusted: The lock file names the charter ./poet.ts, which is code, and the directory is not trusted.";
    for (const command of [["verify"], ["lock"], ["lock", "--diff"]]) {
      const { code, stdout, stderr } = run(...command);
      expect([code, stdout, firstLine(stderr), stderr.includes("RUN")]).toEqual([2, "", not, false]);
    }
    expect(run("doctor").stdout).toContain("The lock file names the charter ./poet.ts, which is code");
    expect(run("trust").stdout).toContain("poet.ts");
    expect(run("verify").code).toBe(0);
    folder.write("poet.ts", poet("Bore everyone."));
    expect(firstLine(run("verify").stderr)).toContain("is not what it was when it was trusted");
    home.remove();
  });

  test("two of one name are refused, and nothing is written", () => {
    const folder = folderOf({ "poet.ts": poet("Never bore anyone."), "other.ts": poet("Bore everyone.") });
    const answer = folder.charter(["lock", "--charter", "poet.ts", "--charter", "other.ts"]);
    expect([answer.code, firstLine(answer.stderr), folder.names()]).toEqual([
      2,
      "charter-unreadable: The charter at ./other.ts cannot be locked: the one at ./poet.ts is called “poet” as well.",
      ["other.ts", "poet.ts"],
    ]);
  });

  test("an agent's is compared by its file in every turn", () => {
    const folder = folderOf({ "poet.ts": poet("Never bore anyone.") });
    folder.charter(["lock", "--charter", "poet.ts"]);
    expect(folder.charter(["agents", "add", "ann", "--charter", "poet.ts"]).code).toBe(0);
    folder.write("poet.ts", named("poet "));
    const renamed = "lock-mismatch: The charter at poet.ts is called “poet ”, and was locked as “poet”.";
    const answer = folder.charter(["chat", "--agent", "ann", "--charter", "poet.ts", "Hello."]);
    expect([answer.code, firstLine(answer.stderr)]).toEqual([1, renamed]);
  });

  test("one that cannot be loaded leaves the lock as it was", () => {
    const folder = lockedFolder({ "mine.ts": 'throw new Error("boom");' });
    const before = folder.read("charter.lock");
    expect(folder.charter(["lock", "--charter", "mine.ts"]).code).toBe(2);
    expect([folder.names(), folder.read("charter.lock")]).toEqual([["charter.lock", "mine.ts"], before]);
  });
});

describe("a lock file that is none", () => {
  const contents: [what: string, content: string | Uint8Array, firstLine: RegExp][] = [
    ["empty", "", /^bad-json: The lock file at charter\.lock is no JSON: /],
    ["half written", '{"version":1,', /^bad-json: The lock file at charter\.lock is no JSON: /],
    ["not UTF-8", Uint8Array.from([0xff, 0xfe]), /^bad-encoding: The lock file at charter\.lock is not UTF-8\.$/],
    ["null", "null", /^bad-lock: /],
    [
      "of another version",
      '{"version":2,"charters":{}}',
      /^bad-lock: charter\.lock is damaged, or no lock file of this version\.$/,
    ],
    ["without charters", '{"version":1}', /^bad-lock: /],
    ["with a list of charters", '{"version":1,"charters":[]}', /^bad-lock: /],
    ["with a charter that is nothing", '{"version":1,"charters":{"sovereign":null}}', /^(?:bad-lock|lock-mismatch): /],
    ["with a charter that is a number", '{"version":1,"charters":{"sovereign":7}}', /^(?:bad-lock|lock-mismatch): /],
    [
      "with a section that is nothing",
      '{"version":1,"charters":{"sovereign":{"constitution":null}}}',
      /^(?:bad-lock|lock-mismatch): .*/,
    ],
  ];
  for (const [what, content, line] of contents)
    test(`${what}: show and verify refuse to start, and leave it as it is`, () => {
      const folder = folderOf({ "charter.lock": content });
      for (const command of [["show", "--charter", "sovereign"], ["verify"]]) {
        const answer = folder.charter(command);
        expect([command[0], answer.code, answer.stdout]).toEqual([command[0], 2, ""]);
        expect(firstLine(answer.stderr)).toMatch(line);
        expect(answer.stderr).not.toMatch(/^ {4}at |^internal:/m);
      }
      expect(folder.names()).toEqual(["charter.lock"]);
      expect(folder.read("charter.lock")).toBe(typeof content === "string" ? content : "\ufffd\ufffd");
    });

  test("with files that are nonsense", () => {
    const folder = lockedFolder();
    edit(folder, (lock) => {
      lock.files = { poet: 7 as unknown as string };
    });
    const answer = folder.charter(["verify"]);
    expect(answer.code).toBe(2);
    expect(firstLine(answer.stderr)).toMatch(/^(?:bad-lock|unknown-charter): /);
  });

  test("the hint can be followed: charter lock writes it anew", () => {
    const folder = folderOf({ "charter.lock": '{"version":2,"charters":{}}' });
    expect(folder.charter(["verify"]).stderr).toBe(
      "bad-lock: charter.lock is damaged, or no lock file of this version.\n  Take it from version control, or delete it and run `charter lock`.\n",
    );
    rmSync(join(folder.path, "charter.lock"));
    expect(folder.charter(["lock"]).code).toBe(0);
    expect(folder.charter(["verify"]).code).toBe(0);
  });

  test("one that is not there: verify and --lock say so, show does not mind", () => {
    const folder = folderOf();
    expect(folder.charter(["verify"])).toMatchObject({
      code: 2,
      stderr: "no-such-file: There is no lock file at charter.lock.\n  Write one with `charter lock`.\n",
    });
    const demanded = folder.charter(["show", "--charter", "sovereign", "--lock", "no.lock"]);
    expect([demanded.code, firstLine(demanded.stderr)]).toEqual([2, "no-such-file: There is no lock file at no.lock."]);
    expect(folder.charter(["show", "--charter", "sovereign"]).code).toBe(0);
  });
});
