import { beforeAll, describe, expect, test } from "vitest";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo, settled } from "./stage/places.ts";

/** Each page's main acts, in a real browser. */
inBrowser("agents and memory", () => {
  const { stage, window } = onStage();
  const go = (path: string) => goTo(window.page, path);
  const inMain = () => window.page.getByRole("main");
  /** What can be done with an agent besides, from its row. */
  const more = async (agent: string, what: string) => {
    await inMain()
      .getByRole("button", { name: `More about ${agent}` })
      .click();
    await window.page.getByRole("menuitem", { name: what, exact: true }).click();
  };

  describe("agents", () => {
    test("every agent is a row with its model, its last seven days and what waits for a person", async () => {
      await go("/home");
      const rows = inMain().getByRole("row");
      await rows.nth(1).waitFor();
      const names = () =>
        inMain()
          .getByRole("rowheader")
          .evaluateAll((all) => all.map((one) => one.textContent?.slice(0, 3)));
      await expect.poll(names).toEqual(["ada", "art", "cod", "rex", "sol"]);
      const ada = inMain()
        .getByRole("row")
        .filter({ has: window.page.getByRole("link", { name: "ada", exact: true }) });
      const waiting = await stage.store.held.list({ agent: "ada" });
      const calls = await stage.store.calls.list({ agent: "ada" });
      const many = String(waiting.length + calls.length);
      await ada.getByRole("link", { name: many, exact: true }).last().click();
      await window.page.waitForURL("**/approvals?agent=ada");
    });

    test("the charter on the settings page leads to its sections", async () => {
      await go("/agents/ada/settings");
      await inMain().getByRole("link", { name: "assistant", exact: true }).click();
      await window.page.waitForURL("**/agents/ada/sections**");
    });

    test("rows are sorted by any head, and the address says how", async () => {
      await go("/home");
      const names = () =>
        inMain()
          .getByRole("rowheader")
          .evaluateAll((all) => all.map((one) => one.textContent?.slice(0, 3)));
      const head = (name: string) => inMain().getByRole("columnheader", { name }).getByRole("button");
      await head("Agent").click();
      await expect.poll(names).toEqual(["ada", "art", "cod", "rex", "sol"]);
      await head("Agent").click();
      await expect.poll(names).toEqual(["sol", "rex", "cod", "art", "ada"]);
      expect(new URL(window.page.url()).search).toBe("?sort=-Agent");
      await head("Turns").click();
      await expect.poll(async () => (await names())[0]).toBe("ada");
    });

    test("a new agent’s name is checked as it is typed, and its template’s words are edited before it is created", async () => {
      await go("/home?new=agent");
      const form = window.page.getByRole("dialog");
      await form.getByPlaceholder("ada", { exact: true }).fill("ada");
      await form.getByText(/^There is an agent “ada” already/).waitFor();
      await form.getByPlaceholder("ada", { exact: true }).fill("<b>eva</b>");
      await form.getByText(/^Letters, digits/).waitFor();
      await expect.poll(() => form.getByRole("button", { name: "Create agent" }).isDisabled()).toBe(true);
      await form.getByPlaceholder("ada", { exact: true }).fill("eva");
      await form.getByRole("radio", { name: /^assistant/ }).check();
      await form.getByLabel("Name it goes by").fill("Eva <script>");
      await form.getByLabel(/^Soul/).fill("You are brief.");
      await form.getByRole("button", { name: "Create agent" }).click();
      await window.page.waitForURL("**/agents/eva/prompt");
      const { charter, model, settings } = await stage.store.agents.get("eva");
      expect([charter, model, settings.original]).toEqual([
        "assistant",
        null,
        expect.objectContaining({
          soul: "You are brief.",
          identity: expect.objectContaining({ name: "Eva <script>" }),
        }),
      ]);
    });

    test("form and JSON show the same settings, and nothing of them is lost", async () => {
      await stage.store.agents.update("eva", async (before) => ({
        ...before,
        settings: { ...before.settings, tools: ["x"] },
      }));
      await go("/agents/eva/settings");
      await inMain().getByLabel("Time zone").fill("Europe/Rome");
      await inMain().getByRole("button", { name: "JSON", exact: true }).click();
      const json = inMain().getByLabel(/^Settings, as JSON/);
      await expect
        .poll(async () => JSON.parse(await json.inputValue()))
        .toMatchObject({ zone: "Europe/Rome", tools: ["x"] });
      const good = await json.inputValue();
      await json.fill("{ nothing");
      await inMain()
        .getByText(/^This is not JSON: .*line 1/)
        .waitFor();
      await expect.poll(() => inMain().getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
      await json.fill(good);
      await inMain().getByRole("button", { name: "Save" }).click();
      await inMain().getByText("Saved.").waitFor();
      await expect
        .poll(async () => (await stage.store.agents.get("eva")).settings)
        .toMatchObject({ zone: "Europe/Rome", tools: ["x"] });
    });

    test("what is saved again at once is saved over what was saved before, though the page has not read it yet", async () => {
      await go("/agents/eva/settings");
      const reading = Promise.withResolvers<void>();
      // From the first saving on, nothing is read again before the second.
      await window.page.route(/\/api\/agents\?/, async (route) => {
        await reading.promise;
        await route.continue();
      });
      for (const zone of ["Europe/Paris", "Europe/Vienna"]) {
        await inMain().getByLabel("Time zone").fill(zone);
        await inMain().getByRole("button", { name: "Save" }).click();
        await inMain().getByText("Saved.").waitFor();
        await expect.poll(() => inMain().getByLabel("Time zone").inputValue()).toBe(zone);
      }
      reading.resolve();
      await window.page.unrouteAll({ behavior: "wait" });
      await expect
        .poll(async () => (await stage.store.agents.get("eva")).settings)
        .toMatchObject({ zone: "Europe/Vienna", tools: ["x"] });
    });

    test("what the server refuses is told at the field it names", async () => {
      await go("/agents/eva/settings");
      await inMain().getByLabel("Largest request, in tokens").fill("many");
      await inMain().getByRole("button", { name: "Save" }).click();
      const alert = inMain().getByRole("alert").filter({ hasText: "“window”" });
      await alert.waitFor();
      await inMain().getByText("Not saved: see the field above.").waitFor();
      await inMain().getByRole("button", { name: "Discard changes" }).click();
    });

    test("a model is chosen and tested; a label is changed", async () => {
      await go("/agents/eva/settings");
      await inMain().getByLabel("Model", { exact: true }).selectOption("openai/gpt-5");
      await inMain().getByRole("button", { name: "Test openai/gpt-5" }).click();
      await inMain()
        .getByText(/^It works/)
        .waitFor();
      await inMain()
        .getByLabel(/^Label/)
        .fill("<i>Desk</i>");
      await inMain().getByRole("button", { name: "Save" }).click();
      await inMain().getByRole("heading", { name: "Settings of <i>Desk</i>" }).waitFor();
      await expect
        .poll(() => stage.store.agents.get("eva"))
        .toMatchObject({ model: "openai/gpt-5", label: "<i>Desk</i>" });
    });

    test("a copy has the settings, and the texts as they are now if that is wanted", async () => {
      await go("/home?duplicate=ada");
      const form = window.page.getByRole("dialog");
      await form.getByRole("radio", { name: /^Current texts/ }).check();
      await form.getByRole("button", { name: "Duplicate" }).click();
      await window.page.waitForURL("**/agents/ada-copy/settings");
      const [ada, copy] = await Promise.all(["ada", "ada-copy"].map((name) => stage.store.agents.get(name)));
      expect([copy?.settings, copy?.model]).toEqual([ada?.settings, ada?.model]);
      const sections = await stage.store.history.sections({ agent: "ada-copy" });
      expect(sections).toEqual([{ section: "soul", revision: 1 }]);
    });

    test("the brake says what it does, and lets go again", async () => {
      await go("/home");
      await more("eva", "Freeze");
      const asked = window.page.getByRole("dialog");
      await asked.getByRole("radio", { name: /^The whole agent/ }).check();
      await asked.getByRole("button", { name: "Freeze", exact: true }).click();
      await inMain().getByRole("row", { name: /eva/ }).getByText("frozen").waitFor();
      await expect.poll(async () => (await stage.store.agents.get("eva")).frozen).toBe("agent");
      await more("eva", "Unfreeze");
      await asked.getByRole("button", { name: "Unfreeze", exact: true }).click();
      await inMain().getByRole("row", { name: /eva/ }).getByText("frozen").waitFor({ state: "detached" });
      await expect.poll(async () => (await stage.store.agents.get("eva")).frozen).toBeNull();
    });

    test("an agent is removed after its name was typed, and what stays is said", async () => {
      await go("/home?remove=ada-copy");
      const asked = window.page.getByRole("dialog");
      await asked.getByText(/are kept, and so is its name/).waitFor();
      const remove = asked.getByRole("button", { name: "Remove agent" });
      await expect.poll(() => remove.isDisabled()).toBe(true);
      await asked.getByLabel(/^Type/).fill("ada-copy");
      await remove.click();
      await asked.waitFor({ state: "detached" });
      await expect.poll(() => stage.store.agents.find("ada-copy")).toBeUndefined();
      await inMain().getByRole("checkbox", { name: "Show removed agents" }).check();
      await inMain()
        .getByText(/^removed /)
        .waitFor();
    });
  });

  describe("memory", () => {
    test("a search says how it found what it found", async () => {
      await go("/agents/ada/memory?user=olga");
      const found = async (words: string, says: RegExp) => {
        await inMain().getByRole("searchbox", { name: "Search" }).fill(words);
        await inMain().getByText(says).waitFor();
      };
      await found("sister Ida", /^Found with all the words/);
      await found("sister nonsense", /^Found with at least one of the words/);
      await found("siste", /^Found with (?:words like these|the letters somewhere in them)/);
      await found("xylophone", /^No notes found$/);
      await expect.poll(() => new URL(window.page.url()).searchParams.get("query")).toBe("xylophone");
    });

    test("a note is added, and forgotten after one was asked twice", async () => {
      await go("/agents/ada/memory?user=olga");
      await inMain().getByRole("button", { name: "Add a note" }).click();
      const form = window.page.getByRole("dialog");
      await form.getByLabel("Text").fill("Olga takes the 8:05.");
      await form.getByLabel(/^Key/).fill("train");
      await form.getByRole("button", { name: "Save note" }).click();
      const note = inMain().getByRole("listitem").filter({ hasText: "Olga takes the 8:05." });
      await note.getByText("train", { exact: true }).waitFor();
      await note.getByRole("button", { name: /^Forget/ }).click();
      await note.getByRole("button", { name: "Forget it" }).click();
      await note.waitFor({ state: "detached" });
      const kept = await stage.store.memory.list({ agent: "ada", user: "olga" });
      expect(kept.filter(({ key }) => key === "train")).toEqual([]);
    });
  });

  describe("a hundred agents more", () => {
    const names = () => inMain().getByRole("rowheader").getByRole("link").allInnerTexts();
    const choice = () => window.page.getByRole("combobox", { name: "Agent" });
    beforeAll(async () => {
      for (let number = 1; number <= 100; number++) {
        const name = `agent-${String(number).padStart(3, "0")}`;
        const label = number === 98 ? "Night shift" : "Front desk";
        await stage.store.agents.add({ name, charter: "assistant", ...(number >= 98 && { label }) });
      }
      await window.page.reload();
    });

    test("are listed fifty at a time, with their number, and found by name or label", async () => {
      await go("/home");
      await inMain().getByText("106 agents, last 7 days").waitFor();
      await expect.poll(() => inMain().getByRole("rowheader").count()).toBe(50);
      const after = inMain()
        .getByRole("button", { name: "After" })
        .or(inMain().getByRole("link", { name: "After" }));
      await after.first().click();
      await inMain().getByRole("link", { name: "agent-052", exact: true }).waitFor();
      await inMain().getByRole("searchbox", { name: "Search" }).fill("front");
      await expect.poll(() => inMain().getByRole("rowheader").count()).toBe(2);
      await expect.poll(async () => (await names()).filter((one) => one === "Front desk")).toHaveLength(2);
      await inMain().getByText("agent-099 ·").waitFor();
      await inMain().getByRole("searchbox", { name: "Search" }).fill("zzz");
      await inMain().getByText("No agent has these letters in its name").waitFor();
    });

    const listbox = () => window.page.getByRole("listbox", { name: "Agents" });
    const options = () => listbox().getByRole("option");
    const one = () => listbox().getByRole("option", { selected: true });
    const marked = () => one().innerText();

    test("the switcher finds them by name or label, told apart, and the tab is called after the agent", async () => {
      await go("/home");
      await choice().click();
      await expect.poll(() => options().count()).toBe(51);
      await window.page.getByRole("status").getByText("The first 50 of 106 agents. Type to find others.").waitFor();
      await window.page.keyboard.type("front");
      await expect.poll(() => options().allInnerTexts()).toEqual(["Front desk (agent-099)", "Front desk (agent-100)"]);
      await options().last().click();
      await window.page.waitForURL("**/agents/agent-100/prompt**");
      await window.page.waitForFunction(() => document.title === "Prompt · agent-100 · Charter");
      await expect.poll(() => choice().inputValue()).toBe("Front desk (agent-100)");
      await expect.poll(() => options().count()).toBe(0);
    });

    test("it goes by keys: down and up move, Enter goes there, Escape leaves all as it was", async () => {
      await settled(window.page);
      await choice().focus();
      await window.page.keyboard.type("AGENT-04");
      await expect.poll(() => options().count()).toBe(10);
      await expect.poll(() => marked()).toBe("agent-040");
      await window.page.keyboard.press("ArrowUp");
      await expect.poll(() => marked()).toBe("agent-049");
      for (let times = 0; times < 3; times++) await window.page.keyboard.press("ArrowDown");
      await expect.poll(() => marked()).toBe("agent-042");
      const described = await choice().getAttribute("aria-activedescendant");
      await expect.poll(() => one().getAttribute("id")).toBe(described);
      await window.page.keyboard.press("Enter");
      await window.page.waitForURL("**/agents/agent-042/prompt**");
      await window.page.waitForFunction(() => document.title === "Prompt · agent-042 · Charter");
      await window.page.keyboard.type("nobody");
      await window.page.getByRole("status").getByText("No agent is called that.").waitFor();
      await window.page.keyboard.press("Enter");
      await window.page.keyboard.press("Escape");
      await expect
        .poll(async () => [await choice().inputValue(), await choice().getAttribute("aria-expanded")])
        .toEqual(["agent-042", "false"]);
      await window.page.keyboard.press("ArrowDown");
      await expect.poll(marked).toBe("All agents");
      await window.page.keyboard.press("Enter");
      await window.page.waitForURL("**/home");
    });

    test("on a telephone the list scrolls down, never sideways, and each row can be used", async () => {
      await window.page.setViewportSize({ width: 360, height: 740 });
      await go("/home?query=agent-05");
      await expect.poll(() => inMain().getByRole("rowheader").count()).toBe(10);
      await expect.poll(() => window.page.evaluate("document.querySelector('main').scrollWidth <= 361")).toBe(true);
      await more("agent-058", "Settings");
      await inMain().getByRole("heading", { name: "Settings of agent-058" }).waitFor();
      await window.page.setViewportSize({ width: 1280, height: 800 });
    });
  });

  describe("addresses", () => {
    test("an address that names no page says so, and leads on", async () => {
      const { page } = window;
      await goTo(page, "/agents/ada/promt");
      await page.getByRole("heading", { name: "Page not found" }).waitFor();
      await page.getByText("There is no page at /agents/ada/promt").waitFor();
      await page.getByRole("main").getByRole("link", { name: "Home" }).click();
      await page.waitForURL("**/home");
    });

    test("so does one the server does not know, as a page to a browser and as a problem to a program", async () => {
      const { page } = window;
      const answer = await page.goto(`${new URL(page.url()).origin}/promt`);
      expect(answer?.status()).toBe(404);
      await page.getByRole("heading", { name: "Page not found" }).waitFor();
      await page.getByRole("link", { name: "go to the first page" }).click();
      await page.waitForURL((url) => url.pathname !== "/promt");
      const told = await page.request.get(`${new URL(page.url()).origin}/promt`, { headers: { accept: "*/*" } });
      expect(await told.json()).toMatchObject({ error: { code: "not-found" } });
    });
  });

  test("nothing else went wrong in the browser", () => {
    // What the server refuses, a browser writes down too: those were meant.
    expect(window.wrong.filter((line) => !/status of (?:400|404|409) /.test(line))).toEqual([]);
  });
});
