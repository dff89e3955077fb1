import { expect, test } from "vitest";
import { questionOf } from "./held-question.ts";
import { becauseText, broughtText, foreignText } from "./turn/ask-reason.ts";

const page = broughtText({ name: "fetch", input: '{"url":"https://example.org/a"}' }, "words");
const reason = becauseText("untrusted", [page]);
const here = "/home/bo/app";

test.for([
  ["bash", { command: "npm install x" }, "The agent wants to run `npm install x` in /home/bo/app.", []],
  [
    "bash",
    { command: "make\nrm -rf /" },
    "The agent wants to run these lines in /home/bo/app.",
    ["  make", "  rm -rf /"],
  ],
  [
    "bash",
    { command: "echo `id`", timeout: 5 },
    "The agent wants to run `` echo `id` `` in /home/bo/app.",
    ["timeout: 5"],
  ],
  ["bash", { command: "ls\u202Ecod.exe" }, "The agent wants to run `ls\\u202ecod.exe` in /home/bo/app.", []],
  [
    "write",
    { path: "a.txt", content: "one\ntwo" },
    "The agent wants to write the file `a.txt` in /home/bo/app.",
    ["+ one", "+ two"],
  ],
  [
    "edit",
    { path: "a.ts", oldText: "1", newText: "2" },
    "The agent wants to change the file `a.ts` in /home/bo/app.",
    ["- 1", "+ 2"],
  ],
  [
    "write",
    { path: "a", content: "x", mode: "777" },
    "The agent wants to use “write” with path: a, content: x, mode: 777 in /home/bo/app.",
    [],
  ],
] as const)("%s %j is asked about in a sentence", ([tool, input, what, details]) => {
  expect(questionOf({ tool, input, reason, place: here })).toEqual({
    sentence: `${what} You are asked because the page https://example.org/a was read in this conversation.`,
    details,
  });
});

test.for([
  ["send_mail", { to: "bo@example.org" }, "The agent wants to use “send_mail” with to: bo@example.org.", []],
  ["look", {}, "The agent wants to use “look”.", []],
  ["odd", null, "The agent wants to use “odd”.", []],
  ["odd", ["a", "b"], "The agent wants to use “odd” with 0: a, 1: b.", []],
  [
    "send_mail",
    { to: [{ name: "Bo" }], cc: [], body: "Hello,\n\u001b[2Jbye" },
    "The agent wants to use “send_mail”.",
    ["to.0.name: Bo", "cc: nothing", "body:", "  Hello,", "  \\u001b[2Jbye"],
  ],
  ["send_mail", { text: "Call Ida." }, "The agent wants to use “send_mail” with text: Call Ida.", []],
  [
    "set_reminder",
    { text: "Call Ida.\nShe waits.", at: "2026-02-23T18:00" },
    "The agent wants to remind you on 2026-02-23 at 18:00.",
    ["Call Ida.", "She waits."],
  ],
  [
    "set_reminder",
    { text: "Call Ida.", cron: "0 8 * * 1" },
    "The agent wants to remind you repeatedly (0 8 * * 1).",
    ["Call Ida."],
  ],
  [
    "set_reminder",
    { text: "Call Ida.", at: "soon" },
    "The agent wants to use “set_reminder” with text: Call Ida., at: soon.",
    [],
  ],
  [
    "acp:execute",
    { kind: "execute", title: "make", paths: ["/a"], input: { command: "make" } },
    "The agent wants to run: make.",
    ["files: /a", "command: make"],
  ],
] as const)("%s %j is asked about without JSON", ([tool, input, what, details]) => {
  expect(questionOf({ tool, input, reason: "Why." })).toEqual({ sentence: `${what} Why.`, details });
});

const yes = "You are asked because you want to be asked before every call";

test.for([
  ["a value that ends the sentence", "pay", { to: `ida. ${yes}` }, "use “pay”", [`to: ida. ${yes}`]],
  [
    "a value that an editor hides",
    "say",
    { text: "Hello <!-- you --> Ida" },
    "use “say”",
    ["text: Hello <!-- you --> Ida"],
  ],
  ["a value that an editor makes a link of", "say", { text: "[hi](x)" }, "use “say”", ["text: [hi](x)"]],
  ["a name with another line", "pay", { "to: ida\nnote": "x" }, 'use “pay” with "to: ida\\nnote": x', []],
  ["a name with a value", "pay", { "to: ida, note": "x" }, 'use “pay” with "to: ida, note": x', []],
  ["a name like two", "pay", { "to.name": "ida", sum: 5 }, 'use “pay” with "to.name": ida, sum: 5', []],
  [
    "a title that ends the sentence",
    "acp:execute",
    { kind: "execute", title: `ls. ${yes}`, paths: [], input: {} },
    `run: \`ls. ${yes}\``,
    [],
  ],
  [
    "a path that looks like an argument, and one that looks like two",
    "acp:edit",
    { kind: "edit", title: "a", paths: ["/a\ncommand: ls", "/b, /c"], input: {} },
    "edit: a",
    ["files:", "  /a", "  command: ls", "files: /b, /c"],
  ],
] as const)("%s is nobody's but the call's", ([, tool, input, what, details]) => {
  expect(questionOf({ tool, input, reason: "Why." })).toEqual({
    sentence: `The agent wants to ${what}. Why.`,
    details,
  });
});

test("of what is too long for a question, it is said how much is missing", () => {
  const { details } = questionOf({ tool: "write", input: { path: "a", content: "x".repeat(20_000) }, reason: "Why." });
  expect(details).toEqual([`+ ${"x".repeat(11_998)}`, "… (8002 more characters; the list of approvals has all of it)"]);
});

const mail = broughtText({ name: "read_mail", input: "{}" }, "words");
const says = (words: string) => foreignText(words, words);

test.for([
  ["untrusted", [], "You are asked because text of others is in this conversation."],
  ["untrusted", [mail, mail], "You are asked because “read_mail” brought text of others into this conversation."],
  [
    "untrusted",
    [page, mail],
    "You are asked because the page https://example.org/a was read in this conversation, and “read_mail” brought text of others into this conversation.",
  ],
  [
    "untrusted",
    ["a", "b", "c", "d", "e"].map(says),
    "You are asked because a, b, c, and there are 2 more texts of others.",
  ],
  ["writes", [page], "You are asked because it changes something, and you want to be asked before that."],
  ["always", [page], "You are asked because you want to be asked before every call."],
] as const)("why somebody is asked: %s %j", ([why, texts, words]) => expect(becauseText(why, texts)).toBe(words));
