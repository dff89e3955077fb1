import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bringNotes } from "../../../src/store/import/import-notes.ts";
import { calls } from "../../agent/model.ts";
import { png } from "../../agent/pictures.ts";
import { agent } from "../../telegram/stage.ts";
import { coder, newHousehold } from "./stage.ts";

/** A week of a household, at every door. Ann and Bo have a chat, their daughter Mia has the page alone. */

let home: Awaited<ReturnType<typeof newHousehold>>;
beforeAll(async () => {
  home = await newHousehold();
});
afterAll(() => home.close());

const photo = { photo: [{ file_id: "large", width: 640, height: 480 }] };
const keeps = (content: string) => calls(["save_memory", { content }]);
const finds = (query: string) => calls(["read_memory", { query }]);
const plans = (words: string) => calls(["calendar_add", { words }]);
const looks = (words: string) => calls(["calendar_events", { words }]);
const writes = (path: string) => calls(["write", { path, content: "one" }]);
const undoOf = (words: string) => expect.stringMatching(`^Kept as your own words: “${words}” To undo it, forget note `);
const newWords = "A new conversation begins. What was said before is not in it.";
const isThere = (name: string) => existsSync(join(home.tree.cwd, name));

test("Monday: Ann sends a photo of her sister, and dictates notes after it", async () => {
  const { chat, press, fake } = home;
  fake.keeps("large", png(640, 480));
  const caption = "This is my sister. She is called Ida.";
  expect(await chat("ann", { ...photo, caption }, [keeps("She is called Ida."), "Noted."], 2)).toEqual([
    undoOf("She is called Ida."),
    "Noted.",
  ]);
  const nuts = "Ida may not eat nuts.";
  expect(await chat("ann", nuts, [keeps(nuts), "I keep it."], 2)).toEqual([undoOf(nuts), "I keep it."]);
  const brief = calls(["update_instructions", { instructions: "Answer briefly." }]);
  await chat("ann", "Always answer me briefly.", [brief, "May I?"], 2);
  await press("ann", "Approve", [], 0);
  const remind = calls(["set_reminder", { at: "2026-02-23T18:00", text: "Call Ida." }]);
  expect(await chat("ann", "Remind me at six to call Ida.", [remind, "It is set."], 2)).toEqual([
    expect.stringMatching(/^Kept as your own words: “Call Ida\.” To undo it, cancel the reminder /),
    "It is set.",
  ]);
});

test("Tuesday: Ann is reminded; Bo forwards what the teacher wrote, and begins anew", async () => {
  const { chat, press, due, nextDay } = home;
  nextDay();
  expect(await due("ann", ["Call Ida."])).toEqual(["Call Ida."]);
  const teacher = { forward_origin: { type: "user", sender_user: { id: 99, first_name: "Ms Lee" }, date: 1 } };
  const trip = "The trip is on Friday. Each child brings 12 euros.";
  await chat("bo", { ...teacher, text: trip }, [keeps("School trip on Friday, 12 euros."), "Kept."]);
  await chat("bo", "Put it into our calendar.", [plans("School trip, Friday"), "May I?"], 2);
  expect(await press("bo", "Approve", ["It is there."], 1)).toEqual(["It is there."]);
  expect(await chat("bo", "/new", [])).toEqual([newWords]);
  expect(await chat("bo", "My haircut is on Thursday.", [plans("Haircut, Thursday"), "It is there."])).toEqual([
    "It is there.",
  ]);
  await chat("bo", "And the dentist on Friday.", [plans("Dentist, Friday"), "May I?"], 2);
  await press("bo", "Reject", [], 0);
});

test("Wednesday: Ann's old notes are imported, and the operator vouches for them", async () => {
  const { write, decide, nextDay, operator, store, clock } = home;
  nextDay();
  let made = 0;
  const target = { home: store.home, dryRun: false, now: () => clock().toISOString(), newId: () => `old${++made}` };
  const text = "Ann likes rye bread.\n\nAnn swims on Mondays.";
  await bringNotes(target, { agent, user: "ann" }, { text, at: undefined });
  const lines = [finds("swims"), plans("Swimming, Monday"), "Well."];
  await write("ann", "When do I swim? Put it into the calendar.", lines);
  await decide("ann", "approve");
  await write("ann", "Go on.", ["It is there."]);
  const { body } = await operator(`POST /agents/${agent}/memory/vouch`, { user: "ann" });
  expect([body.notes.length, body.flagged]).toEqual([2, []]);
  expect(await write("ann", "And next week?", lines, { session: "new" })).toMatchObject({ reply: "Well." });
});

test("Friday: Mia has no chat, and finds on the page what her schedule has to say", async () => {
  const { write, decide, nextDay, due, pages } = home;
  nextDay();
  const daily = { title: "Today", input: "What is on today?", cron: "0 7 * * *", zone: "Europe/Berlin" };
  await pages.mia(`POST /agents/${agent}/schedules`, daily);
  nextDay();
  await due("mia", [looks("Friday: school trip"), "Today is your school trip."]);
  const piano = [plans("Piano, Saturday"), "May I?"];
  const { session } = await write("mia", "Piano is on Saturday. Put it into the calendar.", piano);
  const said = await pages.mia(`GET /agents/${agent}/turns?session=${session}&told=true`);
  expect(said.body.turns.map(({ reply }: { reply: string }) => reply)).toEqual([
    "May I?",
    "Today is your school trip.",
  ]);
  await decide("mia", "approve");
  expect(await write("mia", "Go on.", ["It is there."])).toMatchObject({ reply: "It is there." });
});

test("Friday night: Bo shows a picture to his coding agent, and allows it to write, until other text comes", async () => {
  const { sit, tree } = home;
  tree.write("project/shot.png", png(8, 8));
  const typed = [`/file ${tree.cwd}/shot.png Make it so.`, "And the next.", "What is on tomorrow?", "/quit"];
  await sit(
    "bo",
    typed,
    ["a", "n"],
    [writes("a.txt"), "Done.", writes("b.txt"), "Done.", looks("Saturday: football"), writes("c.txt"), "Well."],
  );
  expect(["a.txt", "b.txt", "c.txt"].map(isThere)).toEqual([true, true, false]);
});

test("Saturday: in his editor Bo is asked before a change, and not before reading", async () => {
  const { edit, nextDay } = home;
  nextDay();
  const lines = [calls(["read", { path: "a.txt" }]), writes("d.txt"), "Done."];
  expect(await edit("bo", "Write d.txt.", [true], lines)).toMatchObject({ stop: "end_turn" });
  expect(isThere("d.txt")).toBe(true);
});

test("Sunday: what Ann told about her sister is hers, and nobody is asked", async () => {
  const { chat, nextDay } = home;
  nextDay();
  expect(await chat("ann", "/new", [])).toEqual([newWords]);
  const lines = [finds("Ida"), plans("Ida for lunch, Sunday"), "Ida is in the calendar."];
  expect(await chat("ann", "Who may not eat nuts? She comes on Sunday.", lines)).toEqual(["Ida is in the calendar."]);
});

test("in the whole week there were eight questions, each to who asked for it, with a reason a layman sees", () => {
  const because = (words: string) => `You are asked because ${words}.`;
  const picture = "a picture came with a message";
  const brought = (tool: string) => `“${tool}” brought text of others into this conversation`;
  const adds = (words: string) => `The agent wants to use “calendar_add” with words: ${words}.`;
  const file = (name: string) => `The agent wants to write the file \`${name}\` in ${home.tree.cwd}.`;
  const shot = 'the picture "shot.png" came with a message';
  const change = "May I change “instructions”?\n\nIt would then read:\n\nAnswer briefly.\n\n";
  expect(home.asked.map(({ day, to, at, says, answer }) => [`${day}, ${to}, ${at}`, says, answer])).toEqual([
    [
      "Monday, ann, telegram",
      `${change}Why you are asked: A person must approve this change, because ${picture}.`,
      "Approve",
    ],
    [
      "Tuesday, bo, telegram",
      `${adds("School trip, Friday")} ${because("a message in this conversation has words of others in it")}`,
      "Approve",
    ],
    ["Tuesday, bo, telegram", `${adds("Dentist, Friday")} ${because(brought("calendar_add"))}`, "Reject"],
    [
      "Wednesday, ann, page",
      `${adds("Swimming, Monday")} ${because("a note with words of others in it was read")}`,
      "approve",
    ],
    [
      "Friday, mia, page",
      `${adds("Piano, Saturday")} ${because('the schedule "Today" brought text of others into this conversation')}`,
      "approve",
    ],
    ["Friday, bo, terminal", `${file("a.txt")} ${because(shot)}\n    + one`, "a"],
    [
      "Friday, bo, terminal",
      `${file("c.txt")} ${because(`${shot}, and ${brought("calendar_events")}`)}\n    + one`,
      "n",
    ],
    [
      "Saturday, bo, editor",
      `${file("d.txt")} ${because("it changes something, and you want to be asked before that")}`,
      "true",
    ],
  ]);
});

test("nothing else was held, nothing waits, and only what the teacher wrote is foreign", async () => {
  const { store, asked } = home;
  const statuses = ["waiting", "approved", "running", "rejected", "done", "failed"] as const;
  const held: string[] = [];
  for (const name of [agent, coder]) {
    for (const status of statuses) held.push(...(await store.calls.list({ agent: name, status })).map(() => status));
    for (const status of ["waiting", "approved", "rejected"] as const)
      held.push(...(await store.held.list({ agent: name, status })).map(() => status));
  }
  expect([held.length, held.includes("waiting")]).toEqual([asked.length, false]);
  const notes = await Promise.all(["ann", "bo", "mia"].map((user) => store.memory.list({ agent, user })));
  expect(notes.map((own) => own.map(({ text, tainted }) => `${tainted ? "foreign" : "own"}: ${text}`))).toEqual([
    [
      "own: Ann swims on Mondays.",
      "own: Ann likes rye bread.",
      "own: Ida may not eat nuts.",
      "own: She is called Ida.",
    ],
    ["foreign: School trip on Friday, 12 euros."],
    [],
  ]);
});

test("nobody's words were in a prompt of anybody else's", () => {
  const { toldTo } = home;
  expect([
    toldTo("Ida", "nuts", "rye bread", "swim"),
    toldTo("12 euros", "haircut", "Make it so"),
    toldTo("Piano", "Today is your school trip"),
  ]).toEqual([["ann"], ["bo"], ["mia"]]);
});
