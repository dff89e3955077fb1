import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { charterMeanwhile, createFolder, type Folder } from "../cli.ts";

/** A charter of one's own through the command: what its file may export, and how it is trusted. */

const oneLine = (words: string) => words.split("\n")[0];

describe("what a file may export", () => {
  const shapes: readonly [what: string, code: string, text: string][] = [
    [
      "a charter",
      `export default { name: "cat", layers: [{ name: "a", mutability: "live", sections: [{ name: "a", words: "Purr." }] }] };`,
      "Purr.",
    ],
    [
      "a declaration",
      `import { resident } from "charter/charters";
export default resident({ base: "Purr.", operator: "Mew.", core: () => ({ status: "empty" }) });`,
      "Purr.\n\nMew.",
    ],
    [
      "a function to a charter",
      `export default ({ says = "Purr." }) => ({ name: "cat", layers: [{ name: "a", mutability: "live", sections: [{ name: "a", words: says }] }] });`,
      "Purr.",
    ],
    [
      "a function to a declaration, sooner or later",
      `import { resident } from "charter/charters";
export default async ({ now }) => resident({ base: "Since " + now.slice(0, 2), operator: "Mew.", core: () => ({ status: "empty" }) });`,
      "Since 20\n\nMew.",
    ],
  ];
  const faults: readonly [what: string, code: string, because: string][] = [
    ["needs there are not", `needs: ["mail"]`, "its needs are no list of “inbox”, “conversations”, “notes”, “files”"],
    ["files it does not take", `needs: ["files"]`, "it needs files, and takes none"],
    ["a field there is not", `compactat: 1`, "a declaration has no “compactat”"],
    ["served by halves", `served: "no"`, "its served is neither true nor false"],
    ["tools that are not made", `tools: []`, "its tools is no function"],
  ];
  let folder: Folder;
  beforeAll(() => {
    folder = createFolder();
  });
  afterAll(() => folder.remove());

  test("a charter, a declaration, or a function from the facts to either", () => {
    const shown = shapes.map(([, code], index) => {
      folder.write(`shape${index}.ts`, code);
      return folder.charter(["show", "--charter", `shape${index}.ts`]).stdout;
    });
    expect(shown).toEqual(shapes.map(([, , text]) => text));
  });

  test("it is a module wherever it lies, and so is what it imports; zod need not be installed there", () => {
    // As npm init writes it.
    folder.write("project/package.json", '{ "type": "commonjs" }');
    folder.write(
      "project/words.ts",
      `import { z } from "zod";\nexport const words: string = z.string().parse("Purr.");`,
    );
    folder.write(
      "project/cat.ts",
      `import { words } from "./words.ts";
export default { name: "cat", layers: [{ name: "a", mutability: "live", sections: [{ name: "a", words }] }] };`,
    );
    expect(folder.charter(["show", "--charter", "project/cat.ts"])).toMatchObject({ stdout: "Purr.", stderr: "" });
    const old = `{ name: "cat", layers: [{ name: "a", mutability: "live", sections: [{ name: "a", words: "Mew." }] }] }`;
    // What looks like a module's is in a text, or says that it is none by its name.
    folder.write("project/old.js", `const help = \`\nimport "cat";\n\`;\nmodule.exports = ${old};`);
    folder.write("project/named.cjs", `const help = \`\nimport "cat";\n\`;\nObject.assign(module.exports, ${old});`);
    for (const file of ["old.js", "named.cjs"])
      expect(folder.charter(["show", "--charter", `project/${file}`])).toMatchObject({ stdout: "Mew.", stderr: "" });
  });

  test("what a declaration cannot hold is named", () => {
    const said = faults.map(([, field], index) => {
      const code = `import { resident } from "charter/charters";
export default { ...resident({ core: () => ({ status: "empty" }) }), ${field} };`;
      folder.write(`fault${index}.ts`, code);
      return oneLine(folder.charter(["show", "--charter", `fault${index}.ts`]).stderr);
    });
    const problem = (because: string, index: number) =>
      `charter-unreadable: The charter at fault${index}.ts cannot be used: ${because}.`;
    expect(said).toEqual(faults.map(([, , because], index) => problem(because, index)));
    folder.write(
      "limits.ts",
      'export default { name: "cat", layers: [{ name: "l", mutability: "fixed", sections: [{ name: "s", words: "x" }] }] };\nexport const limits = { steps: -1 };',
    );
    expect(oneLine(folder.charter(["show", "--charter", "limits.ts"]).stderr)).toBe(
      "bad-limit: The limit “steps” is -1.",
    );
  });

  test("a built-in charter with words of one's own keeps its name, its fixed words and its place in the lock", () => {
    const own = createFolder({
      "own.ts": 'import { assistant } from "charter/charters";\nexport default assistant({ soul: "Purr." });\n',
      "fake.ts":
        'export default { name: "assistant", layers: [{ name: "l", mutability: "fixed", sections: [{ name: "s", words: "x" }] }] };\n',
    });
    expect(own.charter(["lock", "--charter", "own.ts"]).code).toBe(0);
    expect(JSON.parse(own.read("charter.lock")).files).toEqual({ assistant: "./own.ts" });
    expect(own.charter(["show", "--charter", "own.ts"]).stdout).toContain("## Soul\nPurr.\n\n## Safety\n");
    expect(own.charter(["verify", "--charter", "own.ts"]).code).toBe(0);
    expect(oneLine(own.charter(["show", "--charter", "fake.ts"]).stderr)).toBe(
      "charter-unreadable: The charter at fake.ts cannot be used: a built-in charter is called “assistant”, and has other fixed text.",
    );
    own.write("own.ts", own.read("own.ts").replace(/^export default (.*);$/m, renamed));
    expect(oneLine(own.charter(["show", "--charter", "own.ts"]).stderr)).toBe(
      "lock-mismatch: The charter at own.ts is called “helper”, and was locked as “assistant”.",
    );
    own.remove();
  });
  const renamed = "const { charter } = $1;\nexport default { ...charter, name: 'helper' };";

  test("a coding agent of one's own works in a directory as ours does", () => {
    const own = createFolder({
      "AGENTS.md": "Run the tests.",
      "own.ts": 'import { coder } from "charter/charters";\nexport default coder({ identity: "You are Bo." });\n',
    });
    const { stdout } = own.charter(["show", "--charter", "own.ts"]);
    expect(stdout).toMatch(/^You are Bo\.\n\nAvailable tools:\n- read: /);
    expect(stdout).toContain("AGENTS.md\n\nRun the tests.");
    const { stdout: answer } = own.charter(["chat", "--charter", "own.ts", "read AGENTS.md"]);
    expect(answer).toContain("Run the tests.");
    own.remove();
  });
});

describe("trust", () => {
  let folder: Folder;
  const own = (soul: string) =>
    `import { assistant } from "charter/charters";\nimport { more } from "./more.ts";\nprocess.stderr.write("RUN\\n");\nexport default assistant({ soul: "${soul}" + more });\n`;
  beforeAll(() => {
    folder = createFolder({ "own.ts": own("Purr."), "more.ts": 'export const more = "";\n' });
  });
  afterAll(() => folder.remove());
  const run = (...args: readonly string[]) =>
    charterMeanwhile(args, { cwd: folder.path, env: { HOME: `${folder.path}/home` } });
  const show = () => run("show", "--agent", "cat");
  const untrusted = (why: string) => `charter-untrusted: “cat” has the charter ./own.ts, which is code, and ${why}.`;
  const [not, fresh] = [
    "the project its database lies in is not trusted",
    "it was not there when the project its database lies in was trusted",
  ].map(untrusted);

  test("whoever adds an agent with a file is told at once that it has to be trusted, and how", async () => {
    const added = await run("agents", "add", "cat", "--charter", "./own.ts");
    expect([added.code, added.stderr]).toEqual([
      0,
      `RUN\nnotice: ${not} Until then it takes no turns. Look at the file, then say charter trust; or keep the database elsewhere, with --database.\n`,
    ]);
    const shown = await show();
    expect([shown.code, shown.stdout, oneLine(shown.stderr)]).toEqual([2, "", not]);
    const set = await run("agents", "set", "cat", "--model", "openai/gpt-5");
    expect([set.code, oneLine(set.stderr)]).toEqual([2, not]);
  });

  test("charter trust names the file, and from then on it is run", async () => {
    const { stdout } = await run("trust");
    expect(stdout).toMatch(/^Trusted: \S+\n {2}\S+\/own\.ts\nTake it back with: charter trust --remove\n$/);
    expect((await show()).stdout).toContain("## Soul\nPurr.");
    expect((await run("trust")).stdout).toContain(" is trusted already.");
    expect((await run("trust", "--list")).stdout).toMatch(/0 extension files, 1 charter or settings file\n$/);
    expect((await run("agents", "set", "cat", "--model", "openai/gpt-5")).stderr).toBe("RUN\n");
  });

  test("when it changes, or what it imports, it is not run before someone has looked again", async () => {
    for (const [name, text] of [
      ["own.ts", own("Hiss.")],
      ["more.ts", 'export const more = " Bite.";\n'],
    ] as const) {
      folder.write(name, text);
      const { code, stderr } = await show();
      expect([code, oneLine(stderr)]).toEqual([
        2,
        untrusted(`it is not what it was when it was trusted (changed, new or gone: “${name}”)`),
      ]);
      expect((await run("trust")).stdout).toContain(`Changed since it was last trusted: ${name}.`);
    }
    expect((await show()).stdout).toContain("## Soul\nHiss. Bite.");
  });

  test("one that comes after the project was trusted is told of, too", async () => {
    await run("trust", "--remove");
    folder.write("bare.ts", "");
    await run("agents", "set", "cat", "--charter", "assistant");
    expect((await run("trust")).stdout).toContain("It brings nothing yet that needs trust");
    const { stderr } = await run("agents", "set", "cat", "--charter", "./own.ts");
    expect(stderr).toContain(`notice: ${fresh} Until then it takes no turns.`);
    expect(oneLine((await show()).stderr)).toBe(fresh);
  });

  test("where the database cannot be read, the project is trusted without it, and that is said", async () => {
    folder.write(".charter/charter.db", "This is no database. ".repeat(100));
    const { code, stdout, stderr } = await run("trust");
    expect([code, stdout.split(":")[0], stderr]).toEqual([
      0,
      expect.stringMatching(/Trusted|is trusted already/),
      expect.stringMatching(/^notice: [a-z-]+: .* Charter files that it names are left as they were\.\n$/),
    ]);
  });
});
