import { isToolUIPart, type UIMessage } from "ai";
import { expect, test } from "vitest";
import { speak } from "../../../src/testing/strict/speech.ts";
import { ChatPage } from "./chat-page.ts";
import { staged } from "./sdk-stage.ts";

const call = (id: string, name: string, input: object = {}) => ({ id, name, input: JSON.stringify(input) });
const calls = { calls: [call("1", "read_page"), call("2", "pay", { of: "5" })] };

const toolsIn = (message: UIMessage | undefined) => (message?.parts ?? []).filter(isToolUIPart);
const questionOn = (page: ChatPage) => {
  const [one] = page.messages.flatMap((message) =>
    toolsIn(message).filter(({ state }) => state === "approval-requested"),
  );
  return (one as { approval: { id: string; requestReason?: string } }).approval;
};
/** The call may be steps before the last: the SDK's own function looks only there. */
const sendAutomaticallyWhen = ({ messages }: { messages: UIMessage[] }) =>
  toolsIn(messages.at(-1)).some(({ state }) => state === "approval-responded");

test("a held call is a question on a page; once its user says yes it runs, and the page is told what came of it", async () => {
  const { ada, stage } = await staged([
    calls,
    { text: ["It waits."] },
    { text: ["It was paid."] },
    { text: ["Fine."] },
  ]);
  const page = new ChatPage(ada, { sendAutomaticallyWhen });
  await page.sendMessage({ text: "Pay what the page says." });
  expect(page.shown).toBe("It waits.");
  expect(toolsIn(page.lastMessage).map(({ state }) => state)).toEqual(["output-available", "approval-requested"]);
  const { id, requestReason } = questionOn(page);
  expect(requestReason).toMatch(/^The agent wants to use “pay” with of: 5\. /);
  const answered = page.until("It was paid.");
  await page.addToolApprovalResponse({ id, approved: true });
  await answered;
  await page.ready();
  expect(page.shown).toBe("It waits.|It was paid.");
  expect(toolsIn(page.lastMessage)[1]).toMatchObject({ state: "output-available", output: "Paid." });
  expect(stage.ran).toEqual(["read_page", "pay 5"]);
  expect(await stage.store.calls.get(id)).toMatchObject({ status: "done", decidedBy: "eva" });
  expect(JSON.stringify(stage.bodies()[2])).toContain("I approve the call of “pay”. Go on.");
  // The session goes on, and what was decided is not decided again.
  await page.sendMessage({ text: "Thank you." });
  expect(new Set(page.messages.flatMap(({ metadata }) => (metadata as { session?: string })?.session ?? [])).size).toBe(
    1,
  );
  expect(stage.ran.length).toBe(2);
});

test("a user's no goes with what they say next; nothing runs", async () => {
  const { ada, stage } = await staged([calls, { text: ["It waits."] }, { text: ["All right."] }]);
  const page = new ChatPage(ada);
  await page.sendMessage({ text: "Pay what the page says." });
  const { id } = questionOn(page);
  await page.addToolApprovalResponse({ id, approved: false, reason: "Too much." });
  await page.sendMessage({ text: "Do not." });
  expect(page.shown).toBe("All right.");
  expect(await stage.store.calls.get(id)).toMatchObject({
    status: "rejected",
    decidedBy: "eva",
    decisionReason: "Too much.",
  });
  expect(stage.ran).toEqual(["read_page"]);
});

test.for([
  ["another user's page", "bo"],
  ["a page of nobody in particular", null],
] as const)("%s decides nothing", async ([, user]) => {
  const { ada, stage } = await staged([calls, { text: ["It waits."] }]);
  const page = new ChatPage(ada);
  await page.sendMessage({ text: "Pay what the page says." });
  const { id } = questionOn(page);
  const parts = [
    { type: "tool-pay", toolCallId: "2", state: "approval-responded", input: {}, approval: { id, approved: true } },
  ];
  const other = new ChatPage(ada, {}, user);
  other.messages.push({ id: "1", role: "assistant", parts: parts as UIMessage["parts"] });
  await other.sendMessage();
  expect(other.error).toMatchObject({ message: "No call that was answered on the page waits for this user." });
  expect(await stage.store.calls.get(id)).toMatchObject({ status: "waiting" });
});

test("when a page goes, its turn ends with what was written; the next says so to the model", async () => {
  const body = speak("anthropic", { text: ["Once upon", "more"] }).slice(0, 3);
  const { ada, stage } = await staged([{ reply: { body, ends: "open" } }, { text: ["A time."] }]);
  const page = new ChatPage(ada);
  const begun = page.until("Once upon");
  const over = page.sendMessage({ text: "Tell me." });
  await begun;
  await page.stop();
  await over;
  await page.sendMessage({ text: "Go on." });
  expect([page.status, page.shown]).toEqual(["ready", "A time."]);
  const [turn, ...others] = (await stage.store.turns.list({ agent: "ada" })).reverse();
  expect([turn?.state, others.length, others[0]?.session === turn?.session]).toEqual(["failed", 1, true]);
  expect(JSON.stringify(stage.bodies()[1]?.messages)).toMatch(/Tell me\..*Once upon.*Stopped here.*Go on\./);
});

test("files of a page go with the message they came with, as bytes or as text", async () => {
  const { ada, stage } = await staged([{ text: ["Seen."] }]);
  const page = new ChatPage(ada);
  const file = (mediaType: string, url: string) => ({ type: "file" as const, mediaType, filename: "a.txt", url });
  await page.sendMessage({ text: "Look.", files: [file("text/plain", "data:text/plain;base64,QmVlcyBmbHku")] });
  await page.sendMessage({ text: "And this?", files: [file("text/plain", "data:text/plain,Wasps%20sting.")] });
  const sent = JSON.stringify(stage.bodies()[1]?.messages);
  expect([sent.includes("Bees fly."), sent.includes("Wasps sting.")]).toEqual([true, true]);
  await page.sendMessage({ text: "Hm.", files: [file("text/plain", "data:text/plain;base64,%%")] });
  expect(page.error).toMatchObject({ message: "A file of the user is not what its data: address says." });
  await page.sendMessage({ text: "Hm.", files: [file("image/png", "https://example.org/a.png")] });
  expect(page.error).toMatchObject({ message: "A file of the user is only an address." });
});
