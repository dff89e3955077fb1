import { once, type StandInRule } from "./stand-in-move.ts";

const please = "^(?:please[, ]+)?";
/** One word, or several in quotes. */
const word = "([`\"“'].+?[`\"”']|\\S{1,1000}?)";
/** One that looks like a path, so that not every “write a letter to mother” becomes a file. */
const path = "([`\"“'].+?[`\"”']|\\S{0,1000}?[./]\\S{0,1000}?)";
/** Words up to the next that mean something here, unless quotes hold them together. */
const words = "([`\"“'][\\s\\S]+?[`\"”'](?= )|[\\s\\S]+?)";
const end = "\\s*[.!?]*$";

/** What a coding agent is told to do, word for word. Where a tool of its own is not offered, the shell does. */
export const codingRules: readonly StandInRule[] = [
  {
    when: new RegExp(`${please}(?:run|execute)(?: the command)?:? +(?:\`([^\`]+)\`\\s*[.!]?|([\\s\\S]+))$`, "i"),
    offered: ["bash"],
    move: once(([quoted, plain]) => ({ bash: { command: quoted ?? plain } })),
  },
  {
    when: new RegExp(
      `${please}(?:(?:read|cat)(?: the)?(?: file)? ${word}|(?:show|open)(?: me)?(?: the)?(?: file)? ${path})(?:,? (?:from|at) line (\\d+))?${end}`,
      "i",
    ),
    offered: ["read", "bash"],
    move: once(([any, shown, line]) => {
      const file = unquoted(any ?? shown);
      const offset = line === undefined ? {} : { offset: Number(line) };
      return { read: { path: file, ...offset }, bash: { command: `cat -- ${shellWord(file)}` } };
    }),
  },
  {
    when: new RegExp(
      `${please}(?:ls|list|(?:list|show)(?: me)?(?: all)?(?: the| my)? (?:files|folder|directory))(?: (?:in |of |under )?(?:the (?:folder|directory) )?${word})?${end}`,
      "i",
    ),
    offered: ["ls", "bash"],
    move: once(([folder]) => {
      const where = folder === undefined ? {} : { path: unquoted(folder) };
      return { ls: where, bash: { command: ["ls -Ap", ...shellPath(folder)].join(" ") } };
    }),
  },
  {
    when: new RegExp(
      `${please}find (?:all )?(?:the )?(?:files? )?(?:named |called |matching |like )?${word}(?: (?:in|under) ${word})?${end}`,
      "i",
    ),
    offered: ["find", "bash"],
    move: once(([name, folder]) => {
      const given = unquoted(name);
      const pattern = /[*?[{./]/.test(given) ? given : `*${given}*`;
      const where = folder === undefined ? {} : { path: unquoted(folder) };
      const test = pattern.includes("/") ? `-path ${shellWord(`*/${pattern}`)}` : `-name ${shellWord(pattern)}`;
      const start = shellPath(folder)[0] ?? ".";
      return { find: { pattern, ...where }, bash: { command: `find ${start} ${test} -not -path '*/.git/*'` } };
    }),
  },
  {
    when: new RegExp(`${please}(search for|search|look for|grep) (.+?)(?: in ${word})?${end}`, "i"),
    offered: ["grep", "bash"],
    move: once(([verb, words, folder]) => {
      const pattern = unquoted(words);
      const isPlain = verb?.toLowerCase() !== "grep";
      const where = folder === undefined ? {} : { path: unquoted(folder) };
      const search = `grep -rnI${isPlain ? "F" : "E"} --exclude-dir=.git -e ${shellWord(pattern)} ${shellPath(folder)[0] ?? "."}`;
      return {
        grep: { pattern, ...(isPlain ? { literal: true } : {}), ...where },
        // That there is none is an answer, not a fault.
        bash: { command: `${search} || [ $? -eq 1 ]` },
      };
    }),
  },
  {
    when: new RegExp(`${please}write ${words} (?:in)?to (?:the file |a file called )?${path}${end}`, "i"),
    offered: ["write"],
    move: once(([words, file]) => ({ write: { path: unquoted(file), content: fileText(words) } })),
  },
  {
    when: new RegExp(
      `${please}(?:create|make|write) (?:a |the )?(?:new )?(?:file )?(?:called |named )?${path} (?:with|containing|that says):? ([\\s\\S]+)$`,
      "i",
    ),
    offered: ["write"],
    move: once(([file, words]) => ({ write: { path: unquoted(file), content: fileText(words) } })),
  },
  {
    when: new RegExp(
      `${please}(?:replace|change) ${words} (?:with|by|to) ${words} in (?:the file )?${path}${end}`,
      "i",
    ),
    offered: ["edit"],
    move: once(([oldText, newText, file]) => ({
      edit: { path: unquoted(file), oldText: unquoted(oldText), newText: unquoted(newText) },
    })),
  },
];

function unquoted(words = ""): string {
  return (
    /^(?:`([\s\S]+)`|"([\s\S]+)"|“([\s\S]+)”|'([\s\S]+)')$/
      .exec(words)
      ?.slice(1)
      .find((inner) => inner !== undefined) ?? words
  );
}

/** A file's lines end. */
function fileText(words = ""): string {
  const text = unquoted(words);
  return text.endsWith("\n") ? text : `${text}\n`;
}

function shellPath(folder: string | undefined): string[] {
  return folder === undefined ? [] : [shellWord(unquoted(folder))];
}

/** As it is where a shell reads nothing into it, else in quotes. */
function shellWord(words: string): string {
  return /^[\w./@+-]+$/.test(words) && !words.startsWith("-") ? words : `'${words.replaceAll("'", "'\\''")}'`;
}

/** What to try, by the tool that does it. */
export const codingTries: readonly (readonly [tool: string, words: string])[] = [
  ["ls", "list the files"],
  ["bash", "list the files"],
  ["read", "read README.md"],
  ["grep", "search for TODO"],
  ["bash", "run `git status`"],
  ["write", "write hello to notes.txt"],
  ["edit", "replace hello with goodbye in notes.txt"],
];
