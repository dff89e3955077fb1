import { messagesIn, newestPassage, once, type StandInRule } from "./stand-in-view.ts";

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

/** What the stand-in makes of reminders and zones, where an assistant is offered the tools for them. */
export const reminderRules: readonly StandInRule[] = [
  {
    when: /^A reminder the user asked for is due now\.[^\n]*\n+([\s\S]+)/,
    move: ([words = ""]) => ({ says: [`A reminder: ${words.trim()}`] }),
  },
  {
    when: /\bremind me in (\d{1,4}|an?) (minute|hour)s? (?:to |that |of |about )?([\s\S]+)/i,
    offered: ["set_reminder"],
    move: once(([many = "", unit = "", text = ""], { told }) => {
      const minutes = (/\d/.test(many) ? Number(many) : 1) * (unit.toLowerCase() === "hour" ? 60 : 1);
      const at = localLater(newestPassage(told, /^Current Time$/)?.words ?? "", minutes);
      return { set_reminder: at === undefined ? undefined : { text: text.trim(), at } };
    }),
  },
  {
    when: /\b(?:my time ?zone is|i (?:live|am) in the time ?zone) ([\w+/-]+)/i,
    offered: ["set_time_zone"],
    move: once(([zone]) => ({ set_time_zone: { zone } })),
  },
  {
    when: /\bwhat is (?:scheduled|coming)\b|\bmy reminders\b/i,
    offered: ["list_reminders"],
    move: once(() => ({ list_reminders: {} })),
  },
];

export const reminderTries = [["set_reminder", "remind me in 2 minutes to stretch"]] as const;

/** “Wednesday, February 18, 2026 at 08:34 PM (Asia/Kolkata)”, so many minutes later on the same wall. */
function localLater(words: string, minutes: number): string | undefined {
  const said = /^\w+, (\w+ \d{1,2}, \d{4}) at (\d\d):(\d\d) (AM|PM)/.exec(words);
  if (!said) return undefined;
  const [, day, hour, minute, half] = said;
  const at = Date.parse(`${day} ${hour}:${minute} ${half} UTC`);
  return Number.isNaN(at) ? undefined : new Date(at + minutes * 60_000).toISOString().slice(0, 16);
}

/** What the stand-in does in the turns of an agent that lives by itself. */
export const messageRules: readonly StandInRule[] = [
  {
    when: /^This turn is your own\b/,
    offered: ["nothing_to_report"],
    move: once(() => ({ nothing_to_report: { because: "A script has nothing to do by itself." } })),
  },
  {
    when: /messages are for you to answer/,
    offered: ["reply"],
    move: (_, { asked, steps }) =>
      steps.length > 0
        ? undefined
        : {
            calls: messagesIn(asked).map(({ id, words }) => ({
              name: "reply",
              input: JSON.stringify({ message: id, body: `(stand-in model) You wrote: “${words}”.` }),
            })),
          },
  },
];
