import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { defineTool, type Tool } from "../../../charter/src/agent/tool.ts";
import { quietTurn } from "../../../charter/src/amend/guard.ts";
import { createSchedule } from "../../../charter/src/schedules/schedule.ts";
import { calls, scripted } from "../../../charter/test/agent/model.ts";
import { answerMessage, failMessage } from "../../../charter/test/store/answer-message.ts";
import { addOldAgent } from "./old-agent.ts";
import type { Stage } from "./stage.ts";

/** Words that would like to be elements. */
export const markup =
  '<script>window.hacked = "script"</script><img src="/x" onerror="window.hacked = \'img\'; alert(1)"><svg onload="window.hacked = \'svg\'"></svg><a href="javascript:alert(2)">here</a><iframe srcdoc="<script>top.hacked = 1</script>"></iframe>';
/** Words that turn what follows them around. */
export const turned = "\u202Egnp.\u2066exe\u2067 \u05D0\u05D1\u05D2 \u0627\u0644";
export const hostile = `${markup} ${turned}`;
/** A megabyte with nowhere to break it. */
export const endless = "x".repeat(1_048_576);

/** Names may hold whatever can be seen. */
export const agentName = '<img src="/x" onerror="window.hacked = 1">/..?a=b#c%2F & \u05D0\u05D1\u05D2';
export const userName = '"><script>window.hacked = 2</script> \u05D3\u05D4/..';
export const sectionName = '<b onclick="window.hacked = 3">soul</b>/?#%25';

const readPage: Tool = defineTool({
  name: "read_page",
  input: z.object({ url: z.string() }),
  summary: "Read a web page",
  harmless: true,
  run: () => `${hostile}\n${endless}`,
});
const sendMail: Tool = defineTool({
  name: "send_mail",
  input: z.object({ to: z.string() }),
  summary: `Send an e-mail ${markup}`,
  trusted: true,
  run: ({ to }) => to,
});
export const hostileTools = [readPage, sendMail];

/** An agent with an inbox, to which nothing good is written. */
export const writtenTo = "sol";

/** A model that says what it likes. */
export const hostileModel = scripted(
  [
    calls(["read_page", { url: `https://${markup}` }]),
    calls(["send_mail", { to: hostile }], ["nobody", { input: markup }]),
    `${hostile}\n\n**bold** [link](javascript:alert(3)) <https://evil.example/x> ![](https://evil.example/y.png)\n\n${endless}`,
  ],
  { window: null },
);

/** An agent, a user and a charter of which no word is meant well; the turns, notes, schedules and letters besides. */
export async function beHostile({ store, house: host, folder }: Stage): Promise<void> {
  const path = join(folder, "hostile.charter.mjs");
  writeFileSync(
    path,
    `const [markup, turned, endless, name] = ${JSON.stringify([markup, turned, endless, sectionName])};
export default { name: "hostile", layers: [
  { name: markup.slice(0, 60), owner: turned, mutability: "fixed", sections: [
    { name: "law", heading: "## " + markup.slice(0, 80), words: markup + "\\n" + turned + "\\n" + endless }] },
  { name: "own", mutability: { amendableBy: ["agent", "operator"], scope: "agent" }, sections: [
    { name, heading: "## Own", original: markup + " " + "y".repeat(300000) }] },
  { name: "now", mutability: "live", sections: [
    { name: "time", stability: "state", reserve: { chars: 2000, tokens: 1000 },
      trust: "own", sources: [({ now }) => ({ status: "present", parts: [{ text: now + " " + markup + turned, source: markup }] })] }] },
], givesWay: [{ section: name, from: "end", told: "(gone)" }] };
`,
  );
  await addOldAgent(store, { name: agentName, charter: path });
  const scope = { agent: agentName, user: userName };
  const desk = await host.amendmentContext(scope);
  const rewrite = (content: string, actor: "operator" | "agent", reason: string) => ({
    section: sectionName,
    operation: { kind: "rewrite" as const, content },
    actor,
    reason,
  });
  await store.propose(desk, rewrite(`${markup} amended`, "operator", hostile));
  await store.propose(
    { ...desk, turn: { ...quietTurn, tainted: true } },
    rewrite(`${markup} ${endless.slice(0, 60_000)}`, "agent", `held because ${hostile}`),
  );
  await host.runTurn({ ...scope, channel: "web", input: `${hostile} ${endless}` });
  hostileModel.say(`Again: ${markup}`);
  await host.runTurn({ ...scope, channel: "web", input: markup });
  await store.memory.save(scope, {
    text: `${hostile} ${endless.slice(0, 7000)}`,
    key: markup.slice(0, 100),
    tainted: true,
  });
  await store.memory.save({ agent: agentName }, { text: markup });
  const asked = { scope, title: `${markup.slice(0, 120)} ${turned}`, input: `${hostile} ${endless.slice(0, 15_000)}` };
  await createSchedule({ ...asked, cron: "0 8 * * *" }, store, host.clock());
  const letter = await store.inbox.post({
    agent: agentName,
    sender: userName,
    body: `${hostile} ${endless.slice(0, 2000)}`,
  });
  const [turn] = await store.turns.list({ agent: agentName });
  await store.inbox.claim(agentName, turn?.id ?? "");
  await answerMessage(store.inbox, { agent: agentName, message: letter.id, reply: hostile, turn: turn?.id ?? "" });
  await store.agents.add({ name: writtenTo, charter: "sovereign" });
  for (const count of [1, 2, 3]) {
    await store.inbox.post({ agent: writtenTo, id: "dead", sender: userName, body: hostile });
    await store.inbox.claim(writtenTo, `${markup.slice(0, 100)} ${count}`);
    await failMessage(store.inbox, writtenTo, "dead", `${hostile} ${endless.slice(0, 2000)}`);
  }
  await store.inbox.post({ agent: writtenTo, sender: userName, body: `${hostile} ${endless.slice(0, 2000)}` });
}

/** Words that a spreadsheet would run, as far as names may hold them; titles hold the rest too. */
export const formulas = [
  "=1+1",
  "@SUM(A1:A9)",
  "+1+1",
  "-2+3|cmd' /C calc'!A0",
  '=HYPERLINK("http://evil.example";"x")',
];
export const formulaTitle = `=1+1\t@SUM(A1)\n=2+2, ${markup} ${"t".repeat(10_000)}`;

/** Turns, paid for, whose user, channel, model and schedule are named by someone who knows spreadsheets. */
export async function spendHostile({ store, house }: Stage): Promise<void> {
  const at = house.clock().toISOString();
  const usage = { input: 9, read: 5, written: 1, output: 2 };
  const pay = async (user: string, name: string, id?: string) => {
    const scope = { agent: agentName, user };
    const given = id === undefined ? {} : { id };
    const turn = await store.turns.open({
      scope,
      input: name,
      channel: `${name} ${markup}`.slice(0, 190).trim(),
      ...given,
    });
    const spent = { day: at.slice(0, 10), receiver: `${name} ${markup}`.slice(0, 190).trim(), micros: 1234, usage };
    await store.turns.close(turn.id, { reply: name, scope, spent });
    await store.users.put({ id: user });
  };
  for (const name of formulas) await pay(name, name);
  const scope = { agent: agentName, user: "=1+1" };
  const { id } = await store.schedules.add({ scope, title: formulaTitle, input: markup, nextAt: at });
  const due = { runs: [{ dueAt: at, state: "waiting" as const }], nextAt: null };
  await store.schedules.plan((one) => (one.id === id ? due : { runs: [], nextAt: one.nextAt }));
  const [run] = await store.runs.list({ schedule: id });
  const taken = await store.runs.claim(run?.id ?? "", { runner: "test", leaseMs: 60_000 });
  await pay("=1+1", "=1+1", taken?.turn ?? "");
}

/** What words could have been made into, had anyone made elements of them; and whether they turned the page around. */
export const made = `(() => {
  const wanted = "img:not([src='/icon.svg'], .cm-widgetBuffer:not([src])), iframe, object, embed, base, form[action], script:not([src^='/studio/']), a[href]:not([href^='/'], [href^='#'], [href^='http'][rel~='noreferrer'][target='_blank']), [onload], [onerror], [onclick], svg[onload]";
  const roots = [document.documentElement, document.body, document.querySelector("main")];
  return {
    hacked: "hacked" in window,
    elements: [...document.querySelectorAll(wanted)].map((one) => one.outerHTML.slice(0, 200)),
    turned: getComputedStyle(document.querySelector("main")).direction,
    tooWide: roots.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.tagName + " " + one.scrollWidth),
  };
})()`;
