import { afterAll, beforeAll, expect, test } from "vitest";
import { housePageNames, pageNames } from "../src/app/place.ts";
import { live, see, views } from "./chat/lived.ts";
import { onUserStage, openUserWindow } from "./chat/stage.ts";
import { faultsOf } from "./stage/faults.ts";
import { liveOnChain, solsChain } from "./stage/on-chain.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo, type Place, placesOf, settled } from "./stage/places.ts";
import { prepareResident, type Relay, type Resident } from "./stage/resident.ts";

/** Views with the elements of another one, and other words in them. */
const alike = [
  ...["settings-sovereign", "prompt-sovereign", "prompt-compact", "prompt-artifact", "prompt-resident"],
  ...["turns-filtered", "turns-broken", "turns-senders"],
  ...["turns-empty", "approvals-empty", "schedules-empty"],
];

/** Everything axe is asked about, each view once: `faultsOf` says in which colours and sizes. */
inBrowser("nothing serious is against a page of the studio, and on a telephone nothing is too wide", () => {
  let resident: Resident;
  beforeAll(async () => {
    resident = await prepareResident();
  });
  afterAll(() => resident?.close());
  const { stage, window } = onStage({
    limits: { userDollarsPerDay: 5, agentDollarsPerDay: 20 },
    keys: async () => resident.keys,
    prepare: ({ store }) => resident.addTo(store),
  });
  const page = () => window.page;
  const main = () => page().getByRole("main");
  const button = (name: RegExp | string) => main().getByRole("button", { name }).first();
  const expectSound = async (name: string, on?: "telephone") => expect(await faultsOf(page(), name, on)).toEqual([]);

  let places: readonly Place[] = [];
  beforeAll(async () => {
    const all = await placesOf(stage);
    places = all.filter(({ name }) => !alike.includes(name));
    expect(all.length - places.length).toBe(alike.length);
  });

  for (const name of [...housePageNames, ...pageNames])
    test(name, async () => {
      const those = places.filter((one) => one.page === name);
      expect(those.length).toBeGreaterThan(0);
      for (const { name: view, path } of those) {
        await goTo(page(), path);
        await expectSound(view);
      }
      expect(window.wrong).toEqual([]);
    });

  test("an approval that is being edited, and one that is being rejected", async () => {
    await goTo(page(), "/approvals?agent=ada");
    await button(/^Edit/).click();
    await main()
      .getByText(/Checks passed|objection/)
      .first()
      .waitFor();
    await expectSound("edited");
    await button("Cancel").click();
    await button(/^Reject the/).click();
    const reason = main().getByLabel("Reason (optional)");
    await reason.fill("Not now.");
    await expectSound("rejected");
    // Escape closes what opened, and what was typed is kept.
    await reason.press("Escape");
    await reason.waitFor({ state: "detached" });
    await button(/^Reject the/).click();
    await expect.poll(() => reason.inputValue()).toBe("Not now.");
    await button("Cancel").click();
  });

  test("what explains a page, once it is open", async () => {
    await goTo(page(), "/money?by=section");
    for (const name of ["About Money", "About limits", "About what was not read"]) {
      await button(name).click();
      await page().getByRole("dialog", { name }).waitFor();
      await expectSound(name);
      await page().keyboard.press("Escape");
    }
  });

  test("why a reply came, and the list of conversations at the side", async () => {
    await goTo(page(), "/agents/ada/chat");
    await main().getByRole("button", { name: "Why this reply?" }).last().click();
    await page().setViewportSize({ width: 1700, height: 900 });
    await main().getByRole("complementary", { name: "Conversations" }).getByRole("link").nth(1).waitFor();
    await expectSound("why");
  });

  test("settings that are refused", async () => {
    await goTo(page(), "/agents/ada/settings");
    await main().getByLabel("Largest request, in tokens").fill("many");
    await button("Save").click();
    await main().getByRole("alert").first().waitFor();
    await expectSound("refused");
    await button("Discard changes").click();
  });

  test("what is drawn on a telephone alone: turns and sessions as lists, the menu, conversations behind a button", async () => {
    for (const query of ["?when=yesterday&channel=web&min-cost=0", "?user=olga", "?by=session"]) {
      await goTo(page(), `/agents/ada/turns${query}`);
      await expectSound(query, "telephone");
    }
    await page().setViewportSize({ width: 360, height: 740 });
    await goTo(page(), "/agents/ada/chat");
    await main().getByRole("button", { name: "Conversations" }).press("Enter");
    await page().getByRole("list", { name: "Conversations" }).waitFor();
    await expectSound("conversations", "telephone");
    await page().keyboard.press("Escape");
    await page().setViewportSize({ width: 360, height: 740 });
    await page().getByRole("button", { name: "Chat", exact: true }).click();
    await expectSound("menu", "telephone");
  });

  test("a core memory that was written in two places at once, and one that cannot be read", async () => {
    await goTo(page(), "/agents/rita/sections/core");
    const words = main().getByRole("textbox", { name: "Text of “core”" });
    await main().getByText("Nothing is written there yet").waitFor();
    resident.writeAtTheSameTime("I count cherries.", resident.relays[0] as Relay);
    await words.press("Control+a");
    await page().keyboard.insertText("I count apples.");
    await button(/^Save as revision/).click();
    await main().getByText("Saved as revision 1, but something else was written elsewhere").waitFor();
    await expectSound("two places");
    await resident.stop(0);
    await resident.stop(1);
    await button("Ask again").click();
    await main().getByText("It could not be read.").waitFor();
    await expectSound("unread");
  });

  test("an address nobody knows, the server’s own page for one, and signing in", async () => {
    await goTo(page(), "/agents/ada/nothing-here");
    await expectSound("unknown");
    await page().goto("about:blank");
    await page().context().clearCookies();
    for (const path of ["/no/such/page", "/sign-in"]) {
      await page().goto(stage.url + path);
      await expectSound(path);
    }
  });
});

inBrowser("nor against those of a new house, of one with many agents, on a chain, or of a demo", () => {
  const { stage, window } = onStage({
    lived: false,
    chains: solsChain,
    demo: { tries: [{ agent: "ada", say: "Always answer in French.", result: "Amended" }] },
    prepare: async (stage) => {
      await stage.store.agents.add({ name: "ada", charter: "assistant" });
      await liveOnChain(stage);
    },
  });
  const page = () => window.page;
  const expectSound = async (name: string) => expect(await faultsOf(page(), name)).toEqual([]);

  test("the first steps, of which one was done", async () => {
    await goTo(page(), "/start");
    await page().getByRole("textbox", { name: "Message to ada" }).fill("Hello.");
    await page().getByRole("button", { name: "Send" }).click();
    await page().getByText("What you said changed nothing in the prompt.").waitFor();
    await expectSound("start");
  });

  test("what a demo tells to try, and the life of an agent on a chain", async () => {
    await page().getByRole("complementary", { name: "Demo" }).getByText("What to try").click();
    await goTo(page(), "/agents/sol/life");
    await page().getByText("On chain 8453").waitFor();
    await expectSound("demo, life");
  });

  test("the switcher of more agents than a list holds, while it is open", async () => {
    for (let number = 1; number <= 60; number++)
      await stage.store.agents.add({ name: `agent-${number}`, charter: "assistant" });
    await page().reload();
    await settled(page());
    await page().getByRole("combobox", { name: "Agent" }).click();
    await page().getByRole("listbox", { name: "Agents" }).getByRole("option").nth(50).waitFor();
    await expectSound("switcher");
  });

  test("the plain pages of a demo", async () => {
    for (const path of ["/sign-in", "/docs", "/chat"]) {
      await page().goto(stage.url + path);
      await page().getByText("Everything here is made up, and a script answers.", { exact: false }).first().waitFor();
      await expectSound(path);
    }
  });
});

inBrowser("nor against the page for users", () => {
  const on = onUserStage();
  const page = () => on.window().page;
  const expectSound = async (name: string, where?: "telephone") =>
    expect(await faultsOf(page(), name, where)).toEqual([]);
  beforeAll(() => live(on.stage(), page()));

  test.for(views)("%s", async ([name, address]) => {
    await see(page(), address);
    await expectSound(name);
  });

  test("its editors, and the question before erasing", async () => {
    for (const [address, opens] of [
      ["#/instructions", "Edit"],
      ["#/reminders", "Add a reminder"],
      ["#/account", "Delete everything…"],
    ] as const) {
      await see(page(), address);
      await page().getByRole("button", { name: opens }).click();
      await expectSound(opens);
    }
    await page().keyboard.press("Escape");
  });

  test("its menu, which only a telephone has", async () => {
    await page().setViewportSize({ width: 360, height: 740 });
    await page().getByRole("button", { name: /^Menu/ }).click();
    await page().getByRole("dialog", { name: "Menu" }).waitFor();
    await expectSound("menu", "telephone");
  });

  test("signed out, and asked whether a link is one’s own", async () => {
    const other = await openUserWindow();
    await other.page.goto(`${on.stage().url}/chat`);
    await other.page.getByRole("heading", { name: "Sign in with a link" }).waitFor();
    expect(await faultsOf(other.page, "signed out")).toEqual([]);
    await other.page.goto(await on.stage().link("cy"));
    await other.page.getByRole("textbox", { name: "Message" }).waitFor();
    await other.page.goto("about:blank");
    await other.page.goto(await on.stage().link("eve"));
    await other.page.getByRole("heading", { name: "You are signed in already" }).waitFor();
    expect(await faultsOf(other.page, "asked")).toEqual([]);
    await other.context.close();
  });
});
