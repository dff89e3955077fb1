import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { quietTurn } from "../../charter/src/amend/guard.ts";
import { openWindow, type Window } from "./stage/browser.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

/** Two people at two browsers: what one does the other sees, or is told before it is too late. Nothing typed is lost. */
inBrowser("two windows", () => {
  const { stage, window: one } = onStage({
    lived: false,
    prepare: async ({ store }) => {
      for (const name of ["ada", "eva", "ida"]) await store.agents.add({ name, charter: "assistant" });
    },
  });
  let other: Window;
  beforeAll(async () => {
    other = await openWindow(await stage.link());
  });
  afterAll(() => other?.close());
  const main = ({ page }: Pick<Window, "page">) => page.getByRole("main");
  const both = async (path: string) => {
    await goTo(one.page, path);
    await goTo(other.page, path);
  };

  describe("on Agents", () => {
    test("an agent that one creates, renames or removes is so in the other's list, without a reload", async () => {
      await both("/home");
      await main(one).getByRole("button", { name: "Create agent" }).click();
      const form = one.page.getByRole("dialog");
      await form.getByPlaceholder("ada", { exact: true }).fill("new-one");
      await form.getByRole("radio", { name: /^assistant/ }).check();
      await form.getByRole("button", { name: "Create agent" }).click();
      await main(other).getByRole("link", { name: "new-one", exact: true }).waitFor();

      await goTo(one.page, "/agents/new-one/settings");
      await main(one)
        .getByLabel(/^Label/)
        .fill("The <i>desk</i>");
      await main(one).getByRole("button", { name: "Save" }).click();
      await main(other).getByRole("link", { name: "The <i>desk</i>", exact: true }).waitFor();
      await other.page
        .getByRole("combobox", { name: "Agent" })
        .locator("option", { hasText: "The <i>desk</i>" })
        .waitFor({ state: "attached" });

      await goTo(one.page, "/home?remove=new-one");
      await one.page.getByRole("dialog").getByLabel(/^Type/).fill("new-one");
      await one.page.getByRole("dialog").getByRole("button", { name: "Remove agent" }).click();
      await main(other).getByRole("link", { name: "The <i>desk</i>", exact: true }).waitFor({ state: "detached" });
    });

    test("both edit one agent's settings: what does not collide is kept of both, what does is chosen", async () => {
      await both("/agents/eva/settings");
      await main(one).getByLabel("Time zone").fill("Europe/Madrid");
      await main(other).getByLabel("Time zone").fill("Europe/Oslo");
      await main(other)
        .getByLabel(/^Label/)
        .fill("Eva");
      await main(other).getByRole("button", { name: "Save" }).click();
      await main(other).getByText("Saved.").waitFor();
      await main(one)
        .getByText(/^Someone else has changed the same settings/)
        .waitFor();
      await expect.poll(() => main(one).getByLabel("Time zone").inputValue()).toBe("Europe/Madrid");
      await expect
        .poll(() =>
          main(one)
            .getByLabel(/^Label/)
            .inputValue(),
        )
        .toBe("Eva");
      await main(one).getByRole("button", { name: "Keep mine" }).click();
      await main(one).getByRole("button", { name: "Save" }).click();
      await main(one).getByText("Saved.").waitFor();
      await expect
        .poll(() => stage.store.agents.get("eva"))
        .toMatchObject({ label: "Eva", settings: { zone: "Europe/Madrid" } });
      await expect.poll(() => main(other).getByLabel("Time zone").inputValue()).toBe("Europe/Madrid");
    });

    test("one saves at the very moment the other does: the second is told, and saves over nothing unseen", async () => {
      await both("/agents/eva/settings");
      await main(one).getByLabel("Time zone").fill("Europe/Rome");
      let isFirst = true;
      await one.page.route("**/api/agents/eva", async (route) => {
        if (route.request().method() !== "PATCH" || !isFirst) return route.continue();
        isFirst = false;
        await stage.store.agents.update("eva", async (before) => ({
          ...before,
          settings: { ...before.settings, window: 9000 },
        }));
        await route.continue();
      });
      await main(one).getByRole("button", { name: "Save" }).click();
      await main(one).getByRole("alert").first().waitFor();
      await expect
        .poll(async () => (await stage.store.agents.get("eva")).settings)
        .toMatchObject({ zone: "Europe/Madrid", window: 9000 });
      await expect.poll(() => main(one).getByLabel("Time zone").inputValue()).toBe("Europe/Rome");
      await main(one)
        .getByText(/^Someone else has changed window meanwhile/)
        .waitFor();
      await expect.poll(() => main(one).getByLabel("Largest request, in tokens").inputValue()).toBe("9000");
      await main(one).getByRole("button", { name: "Save" }).click();
      await main(one).getByText("Saved.").waitFor();
      await expect
        .poll(async () => (await stage.store.agents.get("eva")).settings)
        .toMatchObject({ zone: "Europe/Rome", window: 9000 });
    });

    test("one removes an agent whose settings the other has open: that page says so", async () => {
      await both("/agents/ida/settings");
      await main(other).getByLabel("Time zone").fill("Europe/Oslo");
      await main(one).getByRole("button", { name: "Remove" }).click();
      await one.page.getByRole("dialog").getByLabel(/^Type/).fill("ida");
      await one.page.getByRole("dialog").getByRole("button", { name: "Remove agent" }).click();
      await main(other)
        .getByText(/^“ida” was removed on /)
        .waitFor();
    });
  });

  describe("on Approvals", () => {
    const hold = async (content: string) => {
      const desk = await stage.house.amendmentContext({ agent: "ada", user: "dora" });
      const proposal = { section: "instructions", operation: { kind: "append", content }, actor: "agent" } as const;
      const { held } = await stage.store.propose({ ...desk, turn: { ...quietTurn, tainted: true } }, proposal);
      return held as string;
    };
    const card = (window: Pick<Window, "page">, words: string) =>
      main(window).getByRole("listitem").filter({ hasText: words });

    test("what one decides goes from the other's list and count, before it is clicked", async () => {
      await hold("Be brief.");
      await both("/approvals?agent=ada");
      await card(other, "Be brief.").waitFor();
      await card(one, "Be brief.")
        .getByRole("button", { name: /^Approve/ })
        .click();
      await card(other, "Be brief.").waitFor({ state: "detached" });
      await other.page.waitForFunction(() => document.title.startsWith("Approvals ·"));
    });

    test("whoever edits it when the other decides is told, with what was decided, and keeps the text", async () => {
      const id = await hold("Be loud.");
      await both(`/approvals/${id}`);
      await card(other, "Be loud.").getByRole("button", { name: /^Edit/ }).click();
      await card(other, "Be loud.").getByLabel(/^Text/).fill("Be calm and kind.");
      await card(one, "Be loud.")
        .getByRole("button", { name: /^Reject/ })
        .click();
      await card(one, "Be loud.")
        .getByLabel(/^Reason/)
        .fill("Too <b>loud</b>.");
      await card(one, "Be loud.").getByRole("button", { name: "Reject", exact: true }).click();
      await card(other, "Be loud.").getByText("Too <b>loud</b>.").waitFor();
      await expect
        .poll(() =>
          card(other, "Be loud.")
            .getByRole("button", { name: /^Approve/ })
            .count(),
        )
        .toBe(0);
      const mine = card(other, "Be loud.").getByRole("region", { name: "Your text" });
      await mine.getByText("Be calm and kind.").waitFor();
      await mine.getByRole("button", { name: "Discard your text" }).click();
      await mine.waitFor({ state: "detached" });
      await expect.poll(async () => (await stage.store.held.get(id)).status).toBe("rejected");
    });

    test("whoever edits it in the list is told when it goes, and finds the text again", async () => {
      const id = await hold("Be grand.");
      await both("/approvals?agent=ada");
      await card(other, "Be grand.").getByRole("button", { name: /^Edit/ }).click();
      await card(other, "Be grand.").getByLabel(/^Text/).fill("Be small.");
      await card(one, "Be grand.")
        .getByRole("button", { name: /^Approve/ })
        .click();
      await main(other)
        .getByText(/^Someone else has already decided/)
        .waitFor();
      await main(other).getByRole("link", { name: "See the decision" }).click();
      await other.page.waitForURL(`**/approvals/${id}`);
      await main(other).getByRole("region", { name: "Your text" }).getByText("Be small.").waitFor();
    });

    test("both click at once: one decision counts, and the other is told whose", async () => {
      const id = await hold("Be quick.");
      await both("/approvals?agent=ada");
      await other.page.reload();
      await card(other, "Be quick.").waitFor();
      await other.page.route(`**/approvals/${id}/reject`, async (route) => {
        await card(one, "Be quick.")
          .getByRole("button", { name: /^Approve/ })
          .click();
        await expect.poll(async () => (await stage.store.held.get(id)).status).toBe("approved");
        await route.continue();
      });
      await card(other, "Be quick.")
        .getByRole("button", { name: /^Reject/ })
        .click();
      await card(other, "Be quick.").getByRole("button", { name: "Reject", exact: true }).click();
      await main(other)
        .getByText(/^Someone else has already decided/)
        .waitFor();
      await expect.poll(async () => (await stage.store.held.get(id)).status).toBe("approved");
    });
  });

  test("nothing else went wrong in either", () => {
    expect([...one.wrong, ...other.wrong].filter((line) => !/status of (?:404|409|410|422) /.test(line))).toEqual([]);
  });
});
