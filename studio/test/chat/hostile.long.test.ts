import { afterEach, expect, test } from "vitest";
import { createSchedule } from "../../../charter/src/schedules/schedule.ts";
import { calls } from "../../../charter/test/agent/model.ts";
import { hostile, markup, turned } from "../stage/hostile.ts";
import { inBrowser } from "../stage/on-stage.ts";
import { arrive, onUserStage, open, say } from "./stage.ts";

const user = '"><script>window.hacked = 2</script> \u05D3\u05D4/..';
const pages = ["Instructions", "Notes", "Reminders", "Waiting for you", "Telegram", "Account"];

/** No word of anyone's is more than a word. */
inBrowser("the page for users, with nothing but hostile words in it", () => {
  const on = onUserStage();
  const page = () => on.window().page;
  const scope = { agent: "ada", user };

  afterEach(async () => {
    expect(on.window().wrong.splice(0)).toEqual([]);
    expect(await page().evaluate("window.hacked")).toBeUndefined();
    for (const tag of ["main script", "main iframe", 'a[href^="javascript"]', 'main img[src="/x"]'])
      expect([tag, await page().locator(tag).count()]).toEqual([tag, 0]);
  });

  test("a reply of markup, links and marks that turn the letters is text", async () => {
    await on.stage().store.agents.label("ada", `${markup.slice(0, 60)}`);
    await arrive(page(), await on.stage().link(user));
    on.stage().model.say(
      `${hostile}\n\n[link](javascript:alert(3)) ![](https://evil.example/y.png) <https://evil.example/x>\n\n\`\`\`html\n${markup}\n\`\`\``,
    );
    const told = await say(page(), `${hostile} **bold**`);
    expect(told).toContain('<script>window.hacked = "script"</script>');
    expect(told).toContain("[link](javascript:alert(3))");
    expect(await page().locator("main img").count()).toBe(0);
  });

  test("so are tools, their inputs, and what waits; characters nobody sees are written out", async () => {
    on.stage().model.say(calls(["inbox", {}]), calls(["send_mail", { to: hostile, body: markup }]), hostile);
    await say(page(), markup);
    await page().getByRole("region", { name: "Waits for you" }).getByText("\\u202e").first().waitFor();
  });

  test("so are instructions, notes and reminders that others wrote, on every page", async () => {
    const { store, model } = on.stage();
    await store.memory.save(scope, { text: `${hostile} ${"x".repeat(7000)}`, tainted: true });
    const asked = { scope, title: `${markup.slice(0, 120)} ${turned}`, input: hostile, cron: "0 8 * * *" };
    await createSchedule(asked, store, new Date());
    model.say(calls(["inbox", {}]), calls(["update_instructions", { instructions: `Say: ${markup}` }]), "Held.");
    await say(page(), "Go on.");
    for (const name of pages) {
      await open(page(), name);
      await page().getByText("Loading…").waitFor({ state: "detached" });
      expect(await page().evaluate("window.hacked")).toBeUndefined();
    }
    await open(page(), "Waiting for you");
    await page().getByRole("region", { name: "Waits for you" }).first().waitFor();
  });

  test("what one types oneself is text too: in every field", async () => {
    await open(page(), "Notes");
    await page().getByRole("searchbox").fill(markup);
    await page().getByRole("button", { name: "Add a note" }).click();
    await page().getByRole("textbox", { name: "New note" }).fill(markup);
    await page().getByRole("button", { name: "Save" }).click();
    await page().getByRole("searchbox").fill("");
    await page().getByRole("list", { name: "Notes" }).getByText("iframe").first().waitFor();
    await open(page(), "Reminders");
    await page().getByRole("button", { name: "Add a reminder" }).click();
    await page().getByLabel("Remind me of").fill(markup.slice(0, 100));
    await page().getByRole("button", { name: "Save" }).click();
    await expect.poll(() => page().getByRole("list", { name: "Reminders" }).getByRole("article").count()).toBe(2);
    await open(page(), "Account");
    await page().getByRole("button", { name: "Delete everything…" }).click();
    await page().getByRole("dialog").getByLabel("Your name here").fill(user);
    await page().getByRole("button", { name: "Delete permanently" }).click();
    await page().getByRole("heading", { name: "Sign in with a link" }).waitFor();
  });
});
