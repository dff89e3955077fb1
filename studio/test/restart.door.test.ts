import { expect, test } from "vitest";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo, settled } from "./stage/places.ts";

inBrowser("a server that goes away under an open page", () => {
  const { stage, window } = onStage({
    lived: false,
    prepare: ({ store }) =>
      store.agents.add({ name: "ada", charter: "assistant", settings: { original: { soul: "Be kind." } } }),
  });
  const page = () => window.page;
  const banner = () => page().getByRole("alert").filter({ hasText: "This page reconnects" });
  const live = () => page().getByRole("status").getByText("connected", { exact: true });

  test("the page says so, comes back by itself, keeps what was typed, and shows what happened meanwhile", async () => {
    await goTo(page(), "/agents/ada/chat");
    const message = page().getByRole("textbox", { name: "Message" });
    await message.fill("Half a thought");
    await live().waitFor();
    await stage.restart(async () => {
      await banner().waitFor();
      await message.pressSequentially(" and the other half");
      await stage.house.runTurn({ agent: "ada", user: "olga", channel: "telegram", input: "Are you there?" });
    });
    await live().waitFor();
    await banner().waitFor({ state: "detached" });
    await page().getByText("Are you there?").first().waitFor();
    await expect.poll(() => message.inputValue()).toBe("Half a thought and the other half");
    await message.press("Enter");
    const answer = page().getByRole("article").last();
    await answer.getByText("You wrote: “Half a thought and the other half”.").waitFor();
  });

  test("words that are being written into a section are there afterwards, beside those someone else has kept", async () => {
    await page().goto(`${stage.url}/agents/ada/sections/soul`);
    await settled(page());
    const words = page().getByRole("textbox", { name: "Text of “soul”" });
    await words.press("Control+End");
    await words.pressSequentially(" Be brief.");
    await stage.restart(async () => {
      await banner().waitFor();
      await words.pressSequentially(" Be clear.");
      const desk = await stage.house.amendmentContext({ agent: "ada" });
      const operation = { kind: "rewrite", content: "Be kind, and patient." } as const;
      await stage.store.propose(desk, { section: "soul", operation, actor: "operator" });
    });
    await page().getByText("Be kind, and patient.").first().waitFor();
    await expect
      .poll(() => page().getByRole("textbox", { name: /soul/ }).last().textContent())
      .toBe("Be kind. Be brief. Be clear.");
    await page().reload();
    await settled(page());
    await expect
      .poll(() => page().getByRole("textbox", { name: /soul/ }).last().textContent())
      .toBe("Be kind. Be brief. Be clear.");
  });

  test("a page that was never looked at before comes when the server is back", async () => {
    await page().goto(`${stage.url}/agents/ada/chat`);
    await live().waitFor();
    const menu = page().getByRole("navigation", { name: "Pages" });
    await stage.restart(async () => {
      await banner().waitFor();
      await menu.getByRole("link", { name: "Activity" }).click();
      await page().getByText("Loading…").filter({ visible: true }).first().waitFor();
    });
    await page().getByRole("heading", { name: "Activity", level: 1 }).waitFor();
  });

  test("after an upgrade its old files are gone: the page begins anew, and says so only if that does not help", async () => {
    await page().goto(`${stage.url}/agents/ada/chat`);
    await live().waitFor();
    // What every page needs is there; what only one of them needs is gone.
    const loaded = (await page().evaluate(
      `performance.getEntriesByType("resource").map(({ name }) => name)`,
    )) as string[];
    const shared = new Set(loaded);
    let gone = 1;
    await page().route(/\/studio\/page-[^/]*\.js$/, (route) =>
      !shared.has(route.request().url()) && gone-- > 0 ? route.fulfill({ status: 404, body: "" }) : route.continue(),
    );
    const menu = page().getByRole("navigation", { name: "Pages" });
    await menu.getByRole("link", { name: "Automation" }).click();
    await page().getByRole("heading", { name: "Schedules", level: 1 }).waitFor();
    await page().goto(`${stage.url}/agents/ada/schedules`);
    await page().getByRole("heading", { name: "Schedules", level: 1 }).waitFor();
    gone = Number.POSITIVE_INFINITY;
    await menu.getByRole("link", { name: "Settings" }).click();
    await page().getByRole("alert").getByText("Something failed").waitFor();
    gone = 0;
    await menu.getByRole("link", { name: "Activity" }).click();
    await page().getByRole("heading", { name: "Activity", level: 1 }).waitFor();
  });

  test("nothing else went wrong: the server was away, and said once that another revision stands", () => {
    expect(
      window.wrong.filter(
        (one) =>
          !/status of 40[49]|dynamically imported module|ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_INCOMPLETE|ERR_EMPTY|network error/i.test(
            one,
          ),
      ),
    ).toEqual([]);
  });
});
