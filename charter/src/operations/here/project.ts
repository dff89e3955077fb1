import {
  directory,
  either,
  flag,
  list,
  object,
  oneOf,
  openObject,
  places,
  text,
  tokenizer,
  type ValuesOf,
  whole,
} from "../field.ts";
import { operation } from "../operation.ts";

const diagnostic = openObject({
  severity: oneOf(["error", "warning"], "With an error the file is not used; with a warning it is."),
  code: text("As in docs/files.md."),
  path: text(),
  message: text(),
});
const skill = openObject({ name: text(), description: text(), location: text() });

const listFiles = operation({
  name: "files.list",
  says: "List the files a coding agent's prompt can be built from",
  about: "Prints for each file whether it is used, why not, and its tokens; then what is wrong with any of them.",
  command: "files",
  examples: ["charter files", "charter files --cwd ~/projects/app --json | jq '.files[] | select(.used)'"],
  usualOptions: { database: false, json: "print one JSON document, with the places that hold no file too" },
  who: "operator",
  input: { ...directory, tokenizer },
  answer: object({
    cwd: text(),
    home: text(),
    config: text(),
    trust: oneOf(["trusted", "untrusted", "changed"]),
    files: list(
      object({
        path: text(),
        role: oneOf(["system", "append", "context", "skill", "extension"]),
        place: oneOf(["global", "project", "named"]),
        used: flag(),
        reason: text("Why it is not used, or only in part.").optional(),
        tokens: whole().optional(),
      }),
    ),
    diagnostics: list(diagnostic),
    extensions: list(openObject({ code: text(), message: text() }), "What is wrong with extensions."),
  }),
});

const listSkills = operation({
  name: "skills.list",
  says: "List a coding agent's skills",
  command: "skills [list]",
  examples: ["charter skills"],
  notes:
    "A skill is a directory with a SKILL.md whose front matter has a name and a description. If two skills have the same name the first is used: those given with --skill, then the project's, then your own.",
  usualOptions: { database: false },
  who: "operator",
  input: directory,
  answer: object({ skills: list(skill), diagnostics: list(diagnostic) }),
});

const checkSkills = operation({
  name: "skills.check",
  says: "Check skills against the Agent Skills specification",
  command: "skills check <path>",
  examples: ["charter skills check .charter/skills"],
  hasOwnPage: true,
  notes: "Exit code 1: there are errors.",
  usualOptions: { database: false },
  who: "operator",
  input: { path: text("A directory of skills, as in .charter/skills.") },
  answer: object({ skills: list(skill), diagnostics: list(diagnostic), errors: whole(), warnings: whole() }),
});

const trustProject = operation({
  name: "trust.set",
  says: "Allow a directory to use its own prompt files, skills, code and settings",
  about:
    "AGENTS.md and CLAUDE.md are always read. Used only after you trust the directory: SYSTEM.md, APPEND_SYSTEM.md, skills and extensions; charter.config.ts (.js, .mjs), models.json and .env, which say to whom your words and API keys are sent; and the charter files that its .charter/charter.db and charter.lock name. Extensions, charter files and charter.config.ts run as code on this machine: read them first. Code and settings that change have to be trusted again.",
  command: "trust <cwd?>",
  examples: [
    ["charter trust", "trust the current directory from now on"],
    "charter trust ~/projects/app",
    ["charter trust --list", "which directories are trusted"],
    ["charter trust --remove", "take it back; exit code 1: it was not trusted"],
  ],
  usualOptions: { database: false },
  who: "operator",
  input: {
    ...places,
    list: flag("List the directories that are trusted.").optional(),
    remove: flag("Trust the directory no more.").optional(),
  },
  answer: either(
    object({
      projects: list(object({ root: text(), at: text(), extensions: whole(), charters: whole() })),
    }),
    object({ root: text(), removed: flag() }),
    openObject({
      root: text("The real path of the project."),
      trust: text(),
      before: text("Whether it was trusted before."),
      changed: list(text(), "What changed since it was last trusted."),
      gated: list(text(), "What trust allows."),
    }),
  ),
});

export type FilesInput = ValuesOf<typeof listFiles.input>;
export type TrustInput = ValuesOf<typeof trustProject.input>;

export const operations = [listFiles, listSkills, checkSkills, trustProject];
