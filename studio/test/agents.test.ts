import { describe, expect, test } from "vitest";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

/** Each page's main acts, in a real browser. */
inBrowser("agents, conversations and memory", () => {
  const { stage, window } = onStage();
  const go = (path: string) => goTo(window.page, path);
  const inMain = () => window.page.getByRole("main");

  describe("agents", () => {
    test("every charter is a building whose rooms say who may change them, and lead to their sections", async () => {
      await go("/agents");
      const ada = window.page.getByRole("list", { name: "The charter of ada, in the order the model reads it" });
      const rooms = ada.getByRole("link");
      await rooms.first().waitFor();
      expect(await rooms.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")))).toEqual([
        "identity · “## Identity” · amendable by operator",
        expect.stringMatching(/^soul · “## Soul” · amendable by operator · revision \d+$/),
        "safety · “## Safety” · fixed",
        "channel · “## Channel” · live, made each turn",
        "time · “## Current Time” · live, made each turn",
        "memory · “## Memory” · fixed",
        "instructions · “## User Instructions” · amendable by agent, user and operator · each user’s own copy",
        expect.stringMatching(/^tools · .*live, made each turn$/),
      ]);
      for (const name of ["art", "cody", "rex", "sol"])
        await window.page
          .getByRole("list", { name: `The charter of ${name}, in the order the model reads it` })
          .waitFor();
      await window.page.getByText("charter chat --agent cody").waitFor();

      await rooms.first().focus();
      await window.page.keyboard.press("ArrowRight");
      await window.page.keyboard.press("ArrowDown");
      await inMain()
        .getByText(/^safety · /)
        .waitFor();
      await window.page.keyboard.press("Enter");
      await window.page.waitForURL("**/agents/ada/sections/safety");
    });

    test("a new agent that cannot be is told why; one that can is shown its prompt", async () => {
      await go("/agents");
      await window.page.getByRole("button", { name: "New agent" }).click();
      const form = window.page.getByRole("dialog");
      await form.getByLabel("Name").fill("ada");
      await form.getByRole("button", { name: "Make the agent" }).click();
      await form.getByText("There is an agent “ada” already.").waitFor();
      await form.getByLabel("Name").fill("eva");
      await form.getByRole("radio", { name: /^assistant/ }).check();
      await form.getByRole("button", { name: "Make the agent" }).click();
      await window.page.waitForURL("**/agents/eva/prompt");
      expect(await stage.store.agents.get("eva")).toMatchObject({ charter: "assistant", model: null, settings: {} });
    });

    test("settings are checked as they are typed and by the server, and only what was changed is sent", async () => {
      await go("/agents?set-up=eva");
      const form = window.page.getByRole("dialog");
      const settings = form.getByLabel("Settings, as JSON");
      await settings.fill('{ "zone": ');
      await form.getByText(/^This is no JSON: .*line 1/).waitFor();
      await settings.fill('{ "standing": {} }');
      await form.getByRole("button", { name: "Save" }).click();
      await form.getByText(/current texts are changed by amendments/).waitFor();
      await window.page.reload();
      expect(await settings.inputValue()).toBe('{ "standing": {} }');
      await settings.fill('{ "zone": "Europe/Rome" }');
      await stage.store.agents.put({ name: "eva", charter: "assistant", model: "openai/gpt-5", settings: {} });
      await form.getByRole("button", { name: "Save" }).click();
      await form.waitFor({ state: "detached" });
      const { settings: kept, model } = await stage.store.agents.get("eva");
      expect({ kept, model }).toEqual({ kept: { zone: "Europe/Rome" }, model: "openai/gpt-5" });
    });

    test("settings someone else has changed meanwhile are shown beside those that would replace them", async () => {
      await go("/agents?set-up=eva");
      const form = window.page.getByRole("dialog");
      await form.getByLabel("Settings, as JSON").fill('{ "zone": "Europe/Madrid" }');
      await stage.store.agents.put({
        name: "eva",
        charter: "assistant",
        model: "openai/gpt-5",
        settings: { zone: "Europe/Oslo" },
      });
      const warned = form.getByRole("alert");
      await warned.getByText("Someone has changed the settings since you began.").waitFor();
      expect(await warned.textContent()).toContain("Europe/Oslo");
      await form.getByRole("button", { name: "Undo what was typed" }).click();
      await warned.waitFor({ state: "detached" });
      expect(await form.getByLabel("Settings, as JSON").inputValue()).toContain("Europe/Oslo");
      await window.page.keyboard.press("Escape");
    });

    test("the brake says what it does, and lets go again", async () => {
      await go("/agents");
      await window.page.getByRole("button", { name: "Freeze eva" }).click();
      const asked = window.page.getByRole("dialog");
      await asked.getByRole("radio", { name: /^The agent itself/ }).check();
      await asked.getByRole("button", { name: "Freeze it" }).click();
      await window.page.getByRole("button", { name: "Thaw eva" }).waitFor();
      expect((await stage.store.agents.get("eva")).frozen).toBe("agent");
      await window.page.getByRole("button", { name: "Thaw eva" }).click();
      await asked.getByText("takes turns again").waitFor();
      await asked.getByRole("button", { name: "Thaw it" }).click();
      await window.page.getByRole("button", { name: "Freeze eva" }).waitFor();
      expect((await stage.store.agents.get("eva")).frozen).toBeNull();
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
      await form.getByLabel("Words").fill("Olga takes the 8:05.");
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

  test("nothing else went wrong in the browser", () => {
    // What the server refuses, a browser writes down too: those were meant.
    expect(window.wrong.filter((line) => !/status of (?:400|409) /.test(line))).toEqual([]);
  });
});
