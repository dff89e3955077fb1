import type { Locator, Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openWindow, type Window } from "./stage/browser.ts";
import { inBrowser } from "./stage/on-stage.ts";
import { settled } from "./stage/places.ts";
import { openStage, type Stage } from "./stage/stage.ts";

/**
 * What an operator asks the studio most, from Home on: by mouse, counted in clicks, and by keyboard alone, counted in keys that
 * do something (Enter, Space). Typing, and moving there with Tab, arrows or the mouse, are apart.
 */
type Hand = {
  readonly page: Page;
  /** What was done so far. */
  readonly count: () => number;
  /** A click; or Enter on what Tab leads to. */
  readonly act: (on: Locator) => Promise<void>;
  /** Where one of the places of the menu is. */
  readonly menu: (name: string | RegExp) => Promise<void>;
  /** Chooses from a list that the system draws: one click, or typing. */
  readonly choose: (from: Locator, option: string) => Promise<void>;
};

function mouse(page: Page): Hand {
  let clicks = 0;
  const act = async (on: Locator) => {
    clicks++;
    await on.click();
  };
  return {
    ...{ page, act, count: () => clicks },
    menu: (name) => act(page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name })),
    choose: async (from, option) => {
      clicks++;
      const label = await from.locator("option", { hasText: option }).first().innerText();
      await from.selectOption({ label });
    },
  };
}

function keyboard(page: Page): Hand {
  let keys = 0;
  /** Tab leads to it; or to another one of its list, in which the arrows go on. */
  const reach = async (on: Locator) => {
    await on.waitFor();
    for (let moves = 0; moves < 400; moves++) {
      const where = await on.evaluate((element) => {
        if (element === document.activeElement) return "there";
        const isInList =
          element.getAttribute("tabindex") === "-1" && document.activeElement?.matches("main a[tabindex='0']");
        return isInList ? "in its list" : "elsewhere";
      });
      if (where === "there") return;
      // The editor keeps Tab until Escape.
      if (await page.evaluate("document.activeElement.matches('.cm-content')")) await page.keyboard.press("Escape");
      await page.keyboard.press(where === "in its list" ? "ArrowDown" : "Tab");
    }
    throw new Error(`Neither Tab nor the arrows lead to ${on}.`);
  };
  const act = async (on: Locator) => {
    await reach(on);
    keys++;
    await page.keyboard.press("Enter");
  };
  return {
    ...{ page, act, count: () => keys },
    menu: (name) => act(page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name })),
    choose: async (from, option) => {
      await reach(from);
      await page.keyboard.type(option);
    },
  };
}

type Task = (hand: Hand) => Promise<void>;

const main = (page: Page) => page.getByRole("main");
const rowOf = (page: Page, name: string) =>
  main(page)
    .getByRole("row")
    .filter({ has: page.getByRole("link", { name, exact: true }) })
    .first();

const tasks: Readonly<Record<string, readonly [most: number, Task]>> = {
  "What waits for me?": [
    0,
    async ({ page }) => {
      const needs = main(page).getByRole("region", { name: /^Needs you/ });
      await needs
        .getByRole("button", { name: /^Approve/ })
        .first()
        .waitFor();
    },
  ],
  "Is anything broken?": [
    0,
    async ({ page }) => {
      await main(page).getByText("Failed turns").first().waitFor();
    },
  ],
  "What does bo cost me, over all agents?": [
    1,
    async ({ page, menu }) => {
      await menu(/^People/);
      await expect.poll(() => rowOf(page, "bo").innerText()).toMatch(/\$/);
    },
  ],
  "Why did it say that?": [
    2,
    async ({ page, act }) => {
      await act(rowOf(page, "ada").getByRole("link", { name: /^\d+$/ }).first());
      await page.waitForURL(/\/turns/);
      await act(main(page).locator("tbody").getByRole("link").first());
      await page.waitForURL(/\/turns\/\w+/);
      await main(page)
        .getByText(/Why|What led/)
        .first()
        .waitFor();
    },
  ],
  "Undo the agent's last change": [
    3,
    async ({ page, act }) => {
      await act(rowOf(page, "ada").getByRole("link", { name: "assistant" }));
      await act(main(page).getByRole("link", { name: /^soul/ }).first());
      await act(
        main(page)
          .getByRole("button", { name: /^Revert to/ })
          .first(),
      );
      await page
        .getByText(/as revision/)
        .first()
        .waitFor();
    },
  ],
  "Forget this person": [
    3,
    async ({ page, menu, act }) => {
      await menu(/^People/);
      await act(main(page).getByRole("link", { name: "cy", exact: true }));
      await act(main(page).getByRole("button", { name: /^Erase/ }));
      await page.getByLabel("Type cy to confirm").fill("cy");
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/people$/);
    },
  ],
  "Change the model": [
    3,
    async ({ page, act, choose }) => {
      await act(rowOf(page, "ada").getByRole("link", { name: "openai/gpt-5" }));
      await choose(main(page).getByLabel("Model", { exact: true }), "Server");
      await act(main(page).getByRole("button", { name: "Save" }));
      await main(page).getByText("Saved.").waitFor();
    },
  ],
  "What is cut at half the limit?": [
    2,
    async ({ page, act }) => {
      await act(rowOf(page, "ada").getByRole("link", { name: "ada", exact: true }));
      await act(main(page).getByRole("button", { name: "Try a smaller limit" }));
      await page.getByLabel("The limit in tokens").fill("1200");
      await main(page).getByText("Trimmed to fit").first().waitFor();
    },
  ],
};

inBrowser("eight tasks from Home on", () => {
  let stage: Stage;
  let window: Window;
  beforeEach(async () => {
    stage = await openStage();
    window = await openWindow(await stage.link());
    await window.page.goto(`${stage.url}/home`);
    await settled(window.page);
  });
  afterEach(async () => {
    await window?.close();
    await stage?.close();
  });

  for (const [by, handOf] of [
    ["mouse", mouse],
    ["keyboard", keyboard],
  ] as const)
    for (const [task, [most, does]] of Object.entries(tasks))
      test(`${task} By ${by}: ${most}`, async () => {
        const hand = handOf(window.page);
        await does(hand);
        expect(hand.count()).toBeLessThanOrEqual(most);
        // Of who was erased nothing is found any more, and the browser says so.
        expect(window.wrong.filter((one) => !/status of 404 /.test(one))).toEqual([]);
      });
});
