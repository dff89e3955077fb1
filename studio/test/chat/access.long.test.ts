import { expect, test } from "vitest";
import { bringAxe, serious, tooWide } from "../stage/faults.ts";
import { inBrowser } from "../stage/on-stage.ts";
import { live, see, views } from "./lived.ts";
import { onUserStage, openUserWindow } from "./stage.ts";

/** Every view of the page for users, in both themes, on a screen and on a telephone, by mouse and by keys. */
inBrowser("the page for users, for everyone", { timeout: 600_000 }, () => {
  const on = onUserStage();
  const page = () => on.window().page;

  test("axe has nothing serious against any view, in the light and in the dark, wide and narrow; nothing is too wide", async () => {
    await live(on.stage(), page());
    await bringAxe(page());
    const faults: string[] = [];
    for (const [name, address] of views)
      for (const [width, colorScheme] of [
        [1280, "light"],
        [1280, "dark"],
        [360, "light"],
        [360, "dark"],
      ] as const) {
        await page().setViewportSize({ width, height: 740 });
        await page().emulateMedia({ colorScheme });
        await see(page(), address);
        const found = [...(await serious(page())), ...((await page().evaluate(tooWide)) as string[])];
        faults.push(...found.map((one) => `${name} ${width} ${colorScheme}: ${one}`));
      }
    expect(faults).toEqual([]);
  });

  test("the open menu, the editors and the question before erasing are as good, on a telephone", async () => {
    await page().setViewportSize({ width: 360, height: 740 });
    const check = async () =>
      expect([...(await serious(page())), ...((await page().evaluate(tooWide)) as string[])]).toEqual([]);
    await page().getByRole("button", { name: /^Menu/ }).click();
    await page().getByRole("dialog", { name: "Menu" }).waitFor();
    await check();
    await page().keyboard.press("Escape");
    await see(page(), "#/instructions");
    await page().getByRole("button", { name: "Edit" }).click();
    await check();
    await see(page(), "#/reminders");
    await page().getByRole("button", { name: "Add a reminder" }).click();
    await check();
    await see(page(), "#/account");
    await page().getByRole("button", { name: "Delete everything…" }).click();
    await check();
    await page().keyboard.press("Escape");
  });

  test("by keys alone: the menu, a message, a note", async () => {
    await page().setViewportSize({ width: 1280, height: 740 });
    await see(page(), "#/with/new");
    const tabTo = async (name: string) => {
      for (let tries = 0; tries < 60; tries++) {
        await page().keyboard.press("Tab");
        const at = await page().evaluate(
          "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent",
        );
        if (String(at).trim().startsWith(name)) return;
      }
      throw new Error(`No key leads to “${name}”.`);
    };
    await tabTo("Message");
    on.stage().model.say("By keys.");
    await page().keyboard.type("Hello by keys");
    await page().keyboard.press("Enter");
    await page().getByRole("article").getByText("By keys.").waitFor();
    expect(await page().evaluate("document.activeElement?.getAttribute('aria-label')")).toBe("Message");
    await page().evaluate("document.activeElement.blur()");
    await tabTo("Notes");
    await page().keyboard.press("Enter");
    await page().getByRole("heading", { level: 1, name: "Notes" }).waitFor();
    await tabTo("Add a note");
    await page().keyboard.press("Enter");
    await page().keyboard.type("Typed.");
    await tabTo("Save");
    await page().keyboard.press("Enter");
    await page().getByRole("list", { name: "Notes" }).getByText("Typed.").waitFor();
  });

  test("signed out, and asked whether a link is one’s own: axe has nothing serious against these either", async () => {
    for (const dark of [false, true]) {
      const other = await openUserWindow({ width: 360, dark });
      await other.page.goto(`${on.stage().url}/chat`);
      await other.page.getByRole("heading", { name: "Sign in with a link" }).waitFor();
      await bringAxe(other.page);
      expect([...(await serious(other.page)), ...((await other.page.evaluate(tooWide)) as string[])]).toEqual([]);
      await other.page.goto(await on.stage().link("cy"));
      await other.page.getByRole("textbox", { name: "Message" }).waitFor();
      await other.page.goto("about:blank");
      await other.page.goto(await on.stage().link("eve"));
      await other.page.getByRole("heading", { name: "You are signed in already" }).waitFor();
      await bringAxe(other.page);
      expect([...(await serious(other.page)), ...((await other.page.evaluate(tooWide)) as string[])]).toEqual([]);
      await other.context.close();
    }
  });
});
