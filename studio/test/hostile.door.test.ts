import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { quietTurn } from "../../charter/src/amend/guard.ts";
import { pageNames } from "../src/app/place.ts";
import {
  agentName,
  beHostile,
  hostileModel,
  hostileTools,
  made,
  markup,
  sectionName,
  spendHostile,
  turned,
  userName,
  writtenTo,
} from "./stage/hostile.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

const named = encodeURIComponent;
const agent = `/agents/${named(agentName)}`;
/** Elements, links, pictures, words that turn a line around, escapes of a terminal, a word with nowhere to break it. */
const visible = `${markup} [x](javascript:alert(3)) ![p](https://evil.example/p.png) ${turned} ${"🦊👩‍👩‍👧".repeat(20)} ${"w".repeat(10_000)}`;
const hostile = `\u0007\u001b[31mred ${visible}`;
const label = '<img src=/x onerror="window.hacked=1"> \u05D0\u05D1 🦊 wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww';
const script = "<script>window.hacked = ";
/** The cells of a CSV file, as RFC 4180 reads them. */
function cellsOf(csv: string): string[][] {
  const rows = csv.match(/(?:"(?:[^"]|"")*"|[^"\r])*\r\n/g) ?? [];
  return rows.map((row) =>
    [...row.slice(0, -2).matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
      ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
    ),
  );
}

const sound = { hacked: false, elements: [], turned: "ltr", tooWide: [] };

/** Everything anyone wrote is only ever text: scripts, elements, words that turn a line around, a megabyte of one word. */
inBrowser("words that mean no good", () => {
  const { stage, window } = onStage({
    lived: false,
    model: hostileModel,
    tools: hostileTools,
    prepare: async (stage) => {
      await beHostile(stage);
      await spendHostile(stage);
      await stage.store.agents.add({ name: "eva", charter: "assistant" });
    },
  });
  const page = () => window.page;
  const main = () => page().getByRole("main");
  const elsewhere: string[] = [];
  beforeAll(() => {
    page().on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== stage.url && protocol !== "data:" && protocol !== "blob:") elsewhere.push(request.url());
    });
  });

  describe("on every page", () => {
    let turn = "";
    beforeAll(async () => {
      turn = (await stage.store.turns.list({ agent: agentName })).at(-1)?.id as string;
    });

    const views: [what: string, path: () => string, shows: string][] = [
      ["agents", () => "/home", agentName],
      ...pageNames.map((name): [string, () => string, string] => [
        name,
        () => `${agent}/${name}?user=${named(userName)}`,
        { prompt: script, chat: script, held: script, memory: script, schedules: script, turns: script }[
          name as string
        ] ?? "",
      ]),
      ["people", () => "/people", "=HYPERLINK("],
      ["a person", () => `/people/${named(userName)}`, userName],
      ["a person who is a formula", () => `/people/${named("=1+1")}?agent=${named(agentName)}`, "=1+1"],
      ["what waits for a person", () => "/approvals", script],
      ...["agent", "person", "model", "channel", "schedule", "day"].map((by): [string, () => string, string] => [
        `money by ${by}`,
        () => `/money?days=all&by=${by}`,
        by === "agent" ? agentName : by === "day" ? "" : "=1+1",
      ]),
      ["sessions", () => `${agent}/turns?by=session`, ""],
      ["a section", () => `${agent}/sections/${named(sectionName)}`, `${script}`],
      ["a fixed section", () => `${agent}/sections/law`, script],
      ["a turn", () => `${agent}/turns/${turn}`, script],
      ["a conversation", () => `${agent}/turns?by=person&open=${named(userName.toLowerCase())}`, script],
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
        await expect.poll(() => page().locator("main").textContent()).toContain(shows);
        await expect.poll(() => page().evaluate(made)).toEqual(sound);
        await page().getByRole("navigation", { name: "Pages" }).getByRole("link", { name: /^Home/ }).waitFor();
      });

    test("no cell of a saved table is a formula, and none breaks out of its place", async () => {
      for (const by of ["agent", "person", "model", "channel", "schedule"]) {
        await goTo(page(), `/money?days=all&by=${by}`);
        const saved = page().waitForEvent("download");
        await main().getByRole("button", { name: "CSV" }).click();
        const file = join(stage.folder, `${by}.csv`);
        await (await saved).saveAs(file);
        const [head, ...rows] = cellsOf(readFileSync(file, "utf8"));
        // A schedule is an agent's, which is a column more.
        const columns = by === "schedule" ? 6 : 5;
        expect(head?.length).toBe(columns);
        expect(rows.filter(({ length }) => length !== columns)).toEqual([]);
        const run = rows.flat().filter((cell) => /^\s*[=+\-@|%\t\r]/.test(cell) && !/^-?[\d.e-]+$/.test(cell));
        expect([by, run]).toEqual([by, []]);
        if (by !== "agent") expect(rows.some(([name]) => name?.startsWith("'=1+1"))).toBe(true);
      }
    });

    test("what a page is for can be done all the same", async () => {
      const open = (path: string) => goTo(page(), agent + path);
      await open(`/prompt?user=${named(userName)}&show=new`);
      const text = page().getByRole("region", { name: /^The text/ });
      await text.focus();
      await text.press("ArrowRight");
      await text.press("Enter");
      await page().getByRole("region", { name: "Who wrote this word" }).getByText("law").first().waitFor();

      await goTo(page(), `/approvals?agent=${agent.slice("/agents/".length)}`);
      await page()
        .getByRole("button", { name: /^Approve(?!d)/ })
        .first()
        .click();
      await page().getByRole("link", { name: /^Home/ }).getByText("1").waitFor();

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

      await expect.poll(() => page().evaluate(made)).toEqual(sound);
    });
  });

  /** What a person types into a field stays what they typed: nothing runs, and the page holds on a telephone. */
  describe("in every field", () => {
    const scope = { agent: "eva", user: "olga" };
    const holds = async (path: string, shows: string) => {
      await goTo(page(), path);
      await expect.poll(() => main().textContent()).toContain(shows);
      await expect.poll(async () => [path, await page().evaluate(made)]).toEqual([path, sound]);
    };
    beforeAll(() => page().setViewportSize({ width: 360, height: 740 }));

    test("label, identity and soul of an agent, typed into its settings", async () => {
      await goTo(page(), "/agents/eva/settings");
      await main()
        .getByLabel(/^Label/)
        .fill(label);
      await main().getByLabel("Name it goes by").fill(`Eva ${script}`);
      await main().getByLabel(/^Soul/).fill(visible);
      await main().getByRole("button", { name: "Save" }).click();
      await main().getByText("Saved.").waitFor();
      await expect.poll(async () => (await stage.store.agents.get("eva")).label).toBe(label);
      for (const path of ["/home", "/agents/eva/settings", "/agents/eva/settings?view=json"]) await holds(path, "<img");
      for (const path of ["/agents/eva/prompt?show=new", "/agents/eva/sections/soul"]) await holds(path, script);
      // On a telephone the agents are in the menu, which is closed until one opens it.
      const menu = page().getByRole("banner").getByRole("button", { name: "Sections" });
      await menu.click();
      const choice = page().getByRole("combobox", { name: "Agent" });
      await choice.waitFor();
      await expect.poll(() => choice.locator("option").allInnerTexts()).toContain(label);
      await expect.poll(() => page().evaluate(made)).toEqual(sound);
      await menu.click();
      await choice.waitFor({ state: "hidden" });
    });

    test("a label nobody could read is refused where it is typed, and what was typed stays", async () => {
      await goTo(page(), "/agents/eva/settings");
      const field = main().getByLabel(/^Label/);
      await field.fill("desk \u202Egnp");
      await main().getByRole("button", { name: "Save" }).click();
      await main().getByRole("alert").filter({ hasText: "cannot be used" }).waitFor();
      await expect.poll(() => field.inputValue()).toBe("desk \u202Egnp");
      await main().getByRole("button", { name: "Discard changes" }).click();
    });

    test("names in the list of models", async () => {
      await goTo(page(), "/agents/eva/settings");
      await main().getByLabel("Model", { exact: true }).selectOption("Another model…");
      await main()
        .getByLabel("Model, as provider/model")
        .fill(`${markup.slice(0, 150)}/x`);
      await main()
        .getByRole("button", { name: /^Test / })
        .click();
      await main().getByRole("button", { name: "Save" }).click();
      await main()
        .getByText(/^Not saved|Saved\./)
        .first()
        .waitFor();
      await expect.poll(() => page().evaluate(made)).toEqual(sound);
      const discard = main().getByRole("button", { name: "Discard changes" });
      if ((await discard.count()) > 0) await discard.click();
    });

    test("titles of conversations, messages and replies, and their rows in Activity", async () => {
      hostileModel.say(hostile);
      await stage.house.runTurn({ ...scope, channel: "web", input: hostile });
      await holds("/agents/eva/chat?user=olga", script);
      await page().getByRole("button", { name: "Conversations" }).click();
      await page().getByRole("list", { name: "Conversations" }).getByText("<script>").waitFor();
      await expect.poll(() => page().evaluate(made)).toEqual(sound);
      await page().keyboard.press("Escape");
      for (const path of ["turns", "turns?by=session", "turns?by=person", "turns?by=person&open=olga"])
        await holds(`/agents/eva/${path}`, "<script>");
      const [turn] = await stage.store.turns.list({ agent: "eva" });
      await holds(`/agents/eva/turns/${turn?.id}`, script);
    });

    test("filters in the address of Activity", async () => {
      const value = encodeURIComponent(`${markup} ${turned} ${"w".repeat(500)}`);
      for (const name of [
        "words",
        "user",
        "state",
        "event",
        "channel",
        "model",
        "from",
        "minCost",
        "sort",
        "session",
        "open",
      ]) {
        await goTo(page(), `/agents/eva/turns?${name}=${value}`);
        await main().getByRole("heading", { name: "Activity", level: 1 }).waitFor();
        await expect.poll(async () => [name, await page().evaluate(made)]).toEqual([name, sound]);
      }
    });

    test("notes, their keys and the search for them", async () => {
      await stage.store.memory.save(scope, { text: hostile.slice(0, 7_000), key: `${script}"</b>` });
      await holds("/agents/eva/memory?user=olga", script);
      await holds(`/agents/eva/memory?user=olga&query=${encodeURIComponent(markup)}`, "");
      await holds(`/agents/eva/memory?user=olga&note=${encodeURIComponent(`${script}"</b>`)}`, script);
      await holds(`/agents/eva/memory?user=olga&note=${encodeURIComponent(markup)}`, "This note is not here");
    });

    test("what a person edits and approves", async () => {
      const desk = await stage.house.amendmentContext(scope);
      const operation = { kind: "append", content: `Be ${markup}.` } as const;
      const proposal = { section: "instructions", operation, actor: "agent", reason: hostile } as const;
      const held = (await stage.store.propose({ ...desk, turn: { ...quietTurn, tainted: true } }, proposal))
        .held as string;
      await holds("/approvals?agent=eva", script);
      await main().getByRole("button", { name: /^Edit/ }).first().click();
      const edited = `Call me ${markup} ${turned.replace(/[\u202E\u2066\u2067]/g, "")} ${"w".repeat(1_000)}.`;
      await main().getByLabel(/^Text/).fill(edited);
      await main()
        .getByText(/Checks passed|objection/)
        .first()
        .waitFor();
      await expect.poll(() => page().evaluate(made)).toEqual(sound);
      const approve = main().getByRole("button", { name: "Approve edited text" });
      if (await approve.isEnabled()) {
        await approve.click();
        await main().getByText("from the next prompt on").first().waitFor();
      } else await stage.house.reject(held, "olga", markup);
      await holds(`/approvals/${held}`, script);
      await holds("/agents/eva/sections/instructions?user=olga", "");
    });

    test("names of whoever writes to an agent", async () => {
      const user = `"><script>window.hacked = 2</script> ${"w".repeat(150)}`;
      await stage.house.runTurn({ agent: "eva", user, channel: "web", input: "Hello." });
      await holds("/agents/eva/turns?by=person", "<script>");
      await holds(`/agents/eva/turns?by=person&open=${encodeURIComponent(user)}`, "<script>");
      await holds(`/agents/eva/chat?user=${encodeURIComponent(user)}`, "Hello.");
      await holds(`/agents/eva/turns?user=${encodeURIComponent(user)}`, "<script>");
    });
  });

  test("nothing was asked of anyone else, nothing opened, nothing complained", () => {
    expect(elsewhere).toEqual([]);
    expect(window.wrong.filter((one) => !/status of (?:400|404|409|422) /.test(one))).toEqual([]);
  });
});
