import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { identityWords } from "../../src/charters/coder/coder.ts";
import { counting, later, locked, placeForEach } from "./place.ts";
import { projectIn, promptOf, skill, turn } from "./project.ts";

/** The files of a directory as the sources of a prompt. */

const place = placeForEach();

const environment = (cwd: string) =>
  `Current date and time: Saturday, March 7, 2026 at 08:55:05 AM CST\nCurrent working directory: ${cwd}`;
const listing = (...skills: readonly (readonly [name: string, location: string])[]) =>
  `The following skills provide specialized instructions for specific tasks.
Use the read tool to load a skill's file when the task matches its description.
When a skill file references a relative path, resolve it against the skill directory.

<available_skills>
${skills
  .map(
    ([name, location]) =>
      `  <skill>\n    <name>${name}</name>\n    <description>What ${name} does</description>\n    <location>${location}</location>\n  </skill>`,
  )
  .join("\n")}
</available_skills>`;

/** One of each. */
function fill() {
  return {
    system: place.write("work/app/.charter/SYSTEM.md", "You are a poet."),
    append: place.write("work/app/.charter/APPEND_SYSTEM.md", "In rhyme."),
    global: place.write("home/AGENTS.md", "Use tabs."),
    above: place.write("work/AGENTS.md", "Two people work here."),
    here: place.write("work/app/CLAUDE.md", "Run the tests."),
    skill: place.write("work/app/.charter/skills/haiku/SKILL.md", skill("haiku")),
  };
}

describe("a project that is trusted", () => {
  test("everything it brings is in the prompt, in order", async () => {
    const files = fill();
    const project = projectIn(place);
    const prompt = await promptOf(project);
    expect(prompt.text).toBe(
      [
        "You are a poet.",
        "In rhyme.",
        "# Project Context\n\nProject-specific instructions and guidelines:",
        `## ${files.global}\n\nUse tabs.`,
        `## ${files.above}\n\nTwo people work here.`,
        `## ${files.here}\n\nRun the tests.`,
        listing(["haiku", files.skill]),
        environment(project.cwd),
      ].join("\n\n"),
    );
    expect(prompt.notices).toEqual([]);
  });

  test("every file that was looked at is listed: used or not, why, and what it brings", () => {
    const files = fill();
    place.write("home/SYSTEM.md", "Not asked.");
    const project = projectIn(place);
    const rows = project
      .look()
      .considered.filter(({ path, reason }) => path.startsWith(place.root) && reason !== "there is none");
    expect(rows).toEqual([
      { path: files.system, role: "system", place: "project", used: true, text: "You are a poet." },
      {
        path: place.at("home/SYSTEM.md"),
        role: "system",
        place: "global",
        used: false,
        reason: `${files.system} is used instead`,
      },
      { path: files.append, role: "append", place: "project", used: true, text: "In rhyme." },
      { path: files.global, role: "context", place: "global", used: true, text: `## ${files.global}\n\nUse tabs.` },
      {
        path: files.above,
        role: "context",
        place: "project",
        used: true,
        text: `## ${files.above}\n\nTwo people work here.`,
      },
      {
        path: files.here,
        role: "context",
        place: "project",
        used: true,
        text: `## ${files.here}\n\nRun the tests.`,
      },
      expect.objectContaining({ path: files.skill, role: "skill", place: "project", used: true }),
    ]);
  });
});

describe("a project that is not trusted", () => {
  test("only its context files are in the prompt, and one notice says what is not", async () => {
    const files = fill();
    place.write("work/app/.charter/extensions/a.ts", "export default () => {};");
    const project = projectIn(place, { trusted: false });
    const prompt = await promptOf(project);
    expect(prompt.text).not.toMatch(/poet|rhyme|haiku/);
    expect(prompt.text.startsWith(identityWords)).toBe(true);
    expect(prompt.text).toContain("Run the tests.");
    expect(prompt.notices).toEqual([
      {
        code: "untrusted",
        section: "base",
        message: `The project is not trusted, so the prompt was built without ${files.system}, ${files.append}, 1 skill and its extensions. Look at what it brings, then run “charter trust”.`,
      },
    ]);
    const withheld = project.look().considered.filter(({ reason }) => reason === "the project is not trusted");
    expect(withheld.map(({ path }) => path)).toEqual([files.system, files.append, files.skill]);
  });

  test("with nothing to trust, there is nothing to say", async () => {
    place.write("work/app/AGENTS.md", "Run the tests.");
    expect((await promptOf(projectIn(place, { trusted: false }))).notices).toEqual([]);
  });

  test("what is the user's own is used all the same", async () => {
    place.write("home/SYSTEM.md", "You are a painter.");
    const path = place.write("home/skills/oil/SKILL.md", skill("oil"));
    const shared = place.write("user/.agents/skills/ink/SKILL.md", skill("ink"));
    const project = projectIn(place, { trusted: false, userHome: place.at("user") });
    expect((await promptOf(project)).text).toBe(
      ["You are a painter.", listing(["ink", shared], ["oil", path]), environment(project.cwd)].join("\n\n"),
    );
  });

  test("in the user's home directory, ~/.agents/skills is the user's own and no project's", async () => {
    const shared = place.write("user/.agents/skills/ink/SKILL.md", skill("ink"));
    const userHome = place.at("user");
    const { text, notices } = await promptOf(projectIn(place, { trusted: false, userHome, cwd: userHome }));
    expect(text).toContain(listing(["ink", shared]));
    expect(notices).toEqual([]);
  });
});

describe("a file that cannot be read", () => {
  test("SYSTEM.md: no base at all, neither the default nor its path, and a notice that names it", async () => {
    const path = place.write("work/app/.charter/SYSTEM.md", "You are a poet.");
    place.write("home/SYSTEM.md", "You are a painter.");
    const project = projectIn(place, { disk: locked(path) });
    const prompt = await promptOf(project);
    expect(prompt.text).toBe(environment(project.cwd));
    expect(prompt.notices).toEqual([
      {
        code: "source-unavailable",
        section: "base",
        message: `“base” could not be read: ${path} cannot be read: EACCES: permission denied`,
      },
    ]);
  });

  test("APPEND_SYSTEM.md: the rest stands", async () => {
    place.write("work/app/.charter/SYSTEM.md", "You are a poet.");
    place.link("work/app/.charter/APPEND_SYSTEM.md", "APPEND_SYSTEM.md");
    const project = projectIn(place);
    const prompt = await promptOf(project);
    expect(prompt.text).toBe(`You are a poet.\n\n${environment(project.cwd)}`);
    expect(prompt.notices.map(({ code, section }) => [code, section])).toEqual([["source-unavailable", "append"]]);
  });
});

describe("where skills come from", () => {
  test("named, the project's, .agents up to the repository's root, the global ones, the user's: the first of a name wins", () => {
    place.folder("work/.git");
    const roots = [
      "named",
      "work/app/.charter/skills",
      "work/app/.agents/skills",
      "work/.agents/skills",
      "home/skills",
      "user/.agents/skills",
    ];
    const every = roots.map((root) => place.write(`${root}/same/SKILL.md`, skill("same")));
    roots.forEach((root, index) => {
      place.write(`${root}/only-${index}/SKILL.md`, skill(`only-${index}`));
    });
    place.write(".agents/skills/outside/SKILL.md", skill("outside"));
    const project = projectIn(place, { userHome: place.at("user"), skillPaths: () => [place.at("named")] });
    const { skills, considered } = project.look();
    expect(skills.map(({ name }) => name).sort()).toEqual([...roots.map((_, index) => `only-${index}`), "same"]);
    expect(skills.find(({ name }) => name === "same")?.location).toBe(every[0]);
    expect(considered.filter(({ path, used }) => every.includes(path) && !used).map(({ path }) => path)).toEqual(
      every.slice(1),
    );
  });

  test("without a repository, only the working directory's .agents", () => {
    place.write("work/.agents/skills/above/SKILL.md", skill("above"));
    place.write("work/app/.agents/skills/here/SKILL.md", skill("here"));
    expect(
      projectIn(place)
        .look()
        .skills.map(({ name }) => name),
    ).toEqual(["here"]);
  });
});

describe("from turn to turn", () => {
  const sources = ["system", "append", "context", "skills"] as const;

  test.each([true, false])(
    "the same readings while nothing changes, and no file is opened (trusted: %s)",
    (trusted) => {
      fill();
      place.write("work/app/agents.md", "Told each turn.");
      const { disk, counts } = counting();
      const project = projectIn(place, { disk, now: later, trusted });
      const first = sources.map((name) => project[name](turn));
      const { opened } = counts;
      sources.forEach((name, index) => {
        expect(project[name](turn)).toBe(first[index]);
      });
      project.look();
      expect(counts.opened).toBe(opened);
    },
  );

  test("files that were written just now are the same readings too", () => {
    fill();
    const project = projectIn(place);
    const first = sources.map((name) => project[name](turn));
    sources.forEach((name, index) => {
      expect(project[name](turn)).toBe(first[index]);
    });
  });

  test("an edited file is in the next prompt, and a removed one is not", async () => {
    const files = fill();
    const project = projectIn(place, { now: later });
    await promptOf(project);
    writeFileSync(files.here, "Run all the tests.");
    place.remove("work/AGENTS.md");
    const { text } = await promptOf(project);
    expect(text).toContain("Run all the tests.");
    expect(text).not.toContain("Two people");
  });

  test("after forget everything is read anew", async () => {
    fill();
    const { disk, counts } = counting();
    const project = projectIn(place, { disk, now: later });
    const before = await promptOf(project);
    const { opened } = counts;
    project.forget();
    expect((await promptOf(project)).text).toBe(before.text);
    expect(counts.opened).toBe(2 * opened);
  });
});

test("watch tells which of the files changed, those that were not there before too", async () => {
  const files = fill();
  const project = projectIn(place);
  const waiting = new Map<string, () => void>();
  const { close } = project.watch((paths) => {
    for (const path of paths) waiting.get(path)?.();
  });
  const change = (path: string, what: () => void) =>
    new Promise<void>((done) => {
      waiting.set(path, done);
      what();
    });
  await change(files.here, () => writeFileSync(files.here, "Other words."));
  const fresh = join(place.root, "home/SYSTEM.md");
  await change(fresh, () => writeFileSync(fresh, "You are a painter."));
  const added = join(place.root, "work/app/.charter/skills/sonnet/SKILL.md");
  await change(join(added, ".."), () => place.folder("work/app/.charter/skills/sonnet"));
  await change(added, () => writeFileSync(added, skill("sonnet")));
  close();
  expect(project.look().skills.map(({ name }) => name)).toEqual(["haiku", "sonnet"]);
});
