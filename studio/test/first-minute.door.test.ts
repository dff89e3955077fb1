import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { studioFolder } from "../../charter/src/server/studio.ts";
import { bareEnvironment } from "../../charter/test/cli.ts";
import { buildStudio } from "../build.ts";
import { openWindow, type Window } from "./stage/browser.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { settled } from "./stage/places.ts";
import { type Started, startCharter } from "./stage/started.ts";

const sentence = "Always answer in bullet points.";

/** From the link that `npm start` prints, by what a person sees: each test goes on where the one before ended. */
inBrowser("the first minute", () => {
  let started: Started;
  let window: Window;
  const page = () => window.page;
  const step = (title: string) => page().getByRole("listitem").filter({ hasText: title });
  const panel = () => page().getByRole("region", { name: "Who wrote this word" });
  const reminder = () => page().getByRole("navigation", { name: "First steps" });
  const picture = () => page().getByRole("listbox", { name: "The request by tokens" });

  /** What was changed last is told with the line and the cause. */
  const expectShown = async () => {
    const card = page().getByRole("region", { name: "Latest change" });
    await expect.poll(() => card.getByRole("insertion").allTextContents()).toEqual([sentence]);
    await card.getByRole("blockquote").getByText(sentence).waitFor();
  };

  beforeAll(async () => {
    await buildStudio(studioFolder());
    started = await startCharter();
    window = await openWindow(started.link, { follow: true });
  });
  afterAll(async () => {
    await window?.close();
    if (started) expect(await started.stop()).toBe(0);
  });

  test("begins with three steps, none done, and says which model answers and that it is a stand-in", async () => {
    await page().waitForURL(/\/start$/);
    await page().getByRole("heading", { name: "Say something" }).waitFor();
    await expect
      .poll(() => page().getByRole("heading", { level: 2 }).allTextContents())
      .toEqual(["Say something", "See it in the prompt", "Change it"]);
    await page().getByText("ada answers with stand-in/scripted: a script stands in for a model").waitFor();
    await page().getByText("Set ANTHROPIC_API_KEY").waitFor();
  });

  test("says something: the sentence is there to send, and the step ticks itself off", async () => {
    await expect.poll(() => page().getByRole("textbox", { name: "Message to ada" }).inputValue()).toBe(sentence);
    await page().getByRole("button", { name: "Send" }).click();
    await page().getByRole("heading", { name: "Say something (done)" }).waitFor();
    await page().getByText("(stand-in model)").waitFor();
    await step("See it in the prompt")
      .getByText("Your words changed the section instructions, now at revision 1.")
      .waitFor();
    await expectShown();
    await step("See it in the prompt")
      .getByRole("option", { name: /^instructions, \d+ tokens, amendable, edited$/ })
      .waitFor();
  });

  test("sees it in the prompt: the picture is marked, and a word's panel has the sentence that caused it", async () => {
    await page().getByRole("link", { name: "See the prompt" }).click();
    await page().getByRole("heading", { name: "Prompt", level: 1 }).waitFor();
    await picture()
      .getByRole("option", { name: /^instructions, \d+ tokens, agent$/ })
      .waitFor();
    await picture()
      .getByRole("option", { name: /^soul, \d+ tokens, (operator|charter)$/ })
      .waitFor();
    await expectShown();
    const line = page()
      .getByRole("region", { name: /^The text/ })
      .getByText(sentence);
    await line.waitFor();
    await settled(page());
    await line.click({ position: { x: 20, y: 8 } });
    await panel().getByText("Written by the").waitFor();
    await panel().getByRole("blockquote").getByText(sentence).waitFor();
    await expect
      .poll(() => panel().textContent())
      .toMatch(/Written by the agent, revision 1, .*, in turn .* said:Always answer/s);
    expect(await panel().getByText("No reason was given.").count()).toBe(0);
    await reminder().getByText("2 of 3 done. Next: change it.").waitFor();
  });

  test("changes it: what is saved ticks the last step off", async () => {
    await reminder().getByRole("link", { name: "First steps" }).click();
    await page().getByRole("heading", { name: "See it in the prompt (done)" }).waitFor();
    await page().getByRole("link", { name: "Edit instructions" }).click();
    const words = page().getByRole("textbox", { name: "Text of “instructions”" });
    await words.press("Control+End");
    await words.pressSequentially("\nKeep them short.");
    await page().getByRole("button", { name: "Save as revision 2" }).click();
    await reminder().waitFor({ state: "detached" });
  });

  test("goes back from it in one click, as a new revision, and the next prompt is without it", async () => {
    const revision = (number: number) =>
      page()
        .getByRole("region", { name: "History" })
        .getByRole("listitem")
        .filter({ hasText: `Revision ${number}` });
    await revision(1).getByRole("button", { name: "Revert to this", exact: true }).click();
    await revision(3).getByText("current", { exact: true }).waitFor();
    await expect.poll(() => revision(3).textContent()).toMatch(/operator\s*went back to an earlier text/);
    await page().getByRole("link", { name: "See it in the prompt" }).click();
    // Beside the text stands what the revision took away, so only the text itself is asked.
    const text = page().getByRole("region", { name: /^The text/ });
    await text.getByText(sentence).waitFor();
    await expect.poll(() => text.getByText("Keep them short.").count()).toBe(0);
    await page().keyboard.press("Control+k");
    await page().getByRole("combobox", { name: "Page, agent or person" }).fill("first steps");
    await page().getByRole("option", { name: "First steps" }).waitFor();
    await page().keyboard.press("Enter");
    await page().getByRole("heading", { name: "Change it (done)" }).waitFor();
    await page().getByText("All three are done.").waitFor();
    await step("See it in the prompt").getByText("Your words changed a section.").waitFor();
    await expect.poll(() => page().getByText("changed nothing in the prompt").count()).toBe(0);
  });

  test("then Home is first, and the steps stay at their address, ticked", async () => {
    await page().goto(`${started.url}/`);
    await page().waitForURL(/\/home$/);
    await expect.poll(() => reminder().count()).toBe(0);
    await page().goto(`${started.url}/start`);
    await page().getByRole("heading", { name: "Change it (done)" }).waitFor();
    await expect
      .poll(() =>
        page()
          .getByRole("heading", { name: /\(done\)$/ })
          .count(),
      )
      .toBe(3);
    expect(window.wrong).toEqual([]);
  });

  test("signed out, the page says what Charter is, and has a command to copy, which makes a link that works", async () => {
    await page().getByRole("button", { name: "Theme, API, sign out" }).click();
    await page().getByRole("menuitem", { name: "Sign out" }).click();
    await page().getByText("To sign in, open a link.").waitFor();
    await page().getByText("Charter builds the system prompts of your agents").waitFor();
    const command = (await page().locator("#command").textContent()) as string;
    expect(command).toBe(`charter tokens sign-in --url ${started.url}`);
    await page().context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page().getByRole("button", { name: "Copy" }).click();
    await page().getByRole("button", { name: "Copied" }).waitFor();
    await expect.poll(() => page().evaluate("navigator.clipboard.readText()")).toBe(command);
    const [, ...args] = command.split(" ");
    const made = spawnSync(process.execPath, [started.command, ...args], {
      cwd: started.folder,
      env: bareEnvironment(),
    });
    await page().goto(String(made.stdout).trim());
    await page().waitForURL(/\/home$/);
  });
});

inBrowser("the first steps of another house", () => {
  const { stage, window } = onStage({
    lived: false,
    follow: true,
    prepare: ({ store }) => store.agents.add({ name: "ada", charter: "assistant" }),
  });

  test("are skipped once, and Home is first from then on", async () => {
    await window.page.waitForURL(/\/start$/);
    await window.page.getByRole("button", { name: "Skip these steps" }).click();
    await window.page.waitForURL(/\/home$/);
    await window.page.goto(`${stage.url}/`);
    await window.page.waitForURL(/\/home$/);
  });

  test("whoever only says hello is told that it changed nothing, and what would", async () => {
    await window.page.goto(`${stage.url}/start`);
    await window.page.getByRole("textbox", { name: "Message to ada" }).fill("Hello <b>you</b>.");
    await window.page.getByRole("button", { name: "Send" }).click();
    await window.page.getByText("What you said changed nothing in the prompt.").waitFor();
    await window.page.getByText("Hello <b>you</b>.", { exact: true }).waitFor();
    expect(window.wrong).toEqual([]);
  });
});
