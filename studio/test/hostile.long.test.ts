import { beforeAll, expect, test } from "vitest";
import { pageNames } from "../src/app/place.ts";
import {
  agentName,
  beHostile,
  hostileModel,
  hostileTools,
  made,
  sectionName,
  userName,
  writtenTo,
} from "./stage/hostile.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

const named = encodeURIComponent;
const agent = `/agents/${named(agentName)}`;

/** Everything anyone wrote is only ever text: scripts, elements, words that turn a line around, a megabyte of one word. */
inBrowser("words that mean no good", () => {
  const { stage, window } = onStage({ lived: false, model: hostileModel, tools: hostileTools, prepare: beHostile });
  let turn = "";
  const elsewhere: string[] = [];
  const page = () => window.page;

  beforeAll(async () => {
    turn = (await stage.store.turns.list({ agent: agentName })).at(-1)?.id as string;
    page().on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== stage.url && protocol !== "data:" && protocol !== "blob:") elsewhere.push(request.url());
    });
  });

  const script = "<script>window.hacked = ";
  const views: [what: string, path: () => string, shows: string][] = [
    ["agents", () => "/agents", agentName],
    ...pageNames.map((name): [string, () => string, string] => [
      name,
      () => `${agent}/${name}?user=${named(userName)}`,
      { prompt: script, chat: script, held: script, memory: script, schedules: script, turns: script }[
        name as string
      ] ?? "",
    ]),
    ["a section", () => `${agent}/sections/${named(sectionName)}`, `${script}`],
    ["a fixed section", () => `${agent}/sections/law`, script],
    ["a turn", () => `${agent}/turns/${turn}`, script],
    ["a conversation", () => `${agent}/conversations/${named(userName.toLowerCase())}`, script],
    ["a life", () => `/agents/${writtenTo}/life`, script],
    [
      "two turns",
      () => `${agent}/compare?left=turn:${turn}&right=${named(`now:user=${named(userName)}`)}`,
      sectionName,
    ],
    [
      "what is not there",
      () => `${agent}/sections/${named('<img src=/x onerror="window.hacked = 9">')}`,
      "<img src=/x",
    ],
  ];
  for (const [what, path, shows] of views)
    test(`${what}: they stay words, and the page stays a page`, async () => {
      await goTo(page(), path());
      expect(await page().locator("main").textContent()).toContain(shows);
      expect(await page().evaluate(made)).toEqual({ hacked: false, elements: [], turned: "ltr", tooWide: [] });
      await page().getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Agents" }).waitFor();
    });

  test("what a page is for can be done all the same", async () => {
    const open = (path: string) => goTo(page(), agent + path);
    await open(`/prompt?user=${named(userName)}&show=new`);
    const text = page().getByRole("region", { name: /^The text/ });
    await text.focus();
    await text.press("ArrowRight");
    await text.press("Enter");
    await page().getByRole("region", { name: "Who wrote this word" }).getByText("law").first().waitFor();

    await open("/approvals");
    await page()
      .getByRole("button", { name: /^Approve(?!d)/ })
      .first()
      .click();
    await page().getByRole("link", { name: "Approvals" }).getByText("1").waitFor();

    await open(`/sections/${named(sectionName)}`);
    const words = page().getByRole("textbox", { name: `Text of “${sectionName}”` });
    await words.press("Control+End");
    await words.pressSequentially(" And more.");
    await page()
      .getByRole("button", { name: /^Save as revision/ })
      .click();
    await page().getByText("It is sent with the next turn.").waitFor();

    await open(`/chat?user=${named(userName)}`);
    await page().getByRole("textbox", { name: "Message" }).fill("Still there?");
    await page().keyboard.press("Enter");
    await page().getByText("Still there?").last().waitFor();
    await page().getByText(`Again: ${script}`).last().waitFor();

    expect(await page().evaluate(made)).toEqual({ hacked: false, elements: [], turned: "ltr", tooWide: [] });
  });

  test("nothing was asked of anyone else, nothing opened, nothing complained", () => {
    expect(elsewhere).toEqual([]);
    expect(window.wrong.filter((one) => !/status of 40[04]/.test(one))).toEqual([]);
  });
});
