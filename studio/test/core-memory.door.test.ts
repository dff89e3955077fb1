import { afterAll, beforeAll, expect, test } from "vitest";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";
import { prepareResident, type Relay, type Resident } from "./stage/resident.ts";

/** A resident's core memory on two real relays. Each test goes on with what the one before left. */
inBrowser("core memory on relays", () => {
  let resident: Resident;
  beforeAll(async () => {
    resident = await prepareResident();
  });
  const { stage, window } = onStage({
    lived: false,
    keys: async () => resident.keys,
    prepare: ({ store }) => resident.addTo(store),
  });
  afterAll(() => resident?.close());

  const place = "/agents/rita/sections/core";
  const main = () => window.page.getByRole("main");
  const panel = () => main().getByRole("region", { name: "On relays" });
  const relayLines = async () =>
    (await panel().getByRole("list", { name: "Relays" }).getByRole("listitem").allInnerTexts()).map((line) =>
      line.replaceAll(/\s+/g, " "),
    );
  const editor = () => main().getByRole("textbox", { name: "Text of “core”" });
  const entry = (revision: number) =>
    main()
      .getByRole("region", { name: "History" })
      .getByRole("listitem")
      .filter({ hasText: `Revision ${revision}` });
  const askAgain = () => panel().getByRole("button", { name: "Ask again" }).click();
  const write = async (text: string) => {
    await editor().press("Control+a");
    await window.page.keyboard.insertText(text);
    await main()
      .getByRole("button", { name: /^Save as revision/ })
      .click();
  };
  const standing = async () => (await stage.store.history.listWhole({ agent: "rita" }, "core", { limit: 1 }))[0];
  const noRoom = "error: there is no room left";

  test("an empty one says that nothing is written there yet, on the page and in the list", async () => {
    await goTo(window.page, place);
    await panel().getByText("Nothing is written there yet").waitFor();
    await expect.poll(() => relayLines()).toEqual(resident.relays.map(({ url }) => `${url} has none`));
    const row = main().getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "core" });
    await row.getByText("empty, on its relays").waitFor();
  });

  test("what is saved is published: the page says where, under which event, and the history too", async () => {
    await write("I count plums.");
    await main().getByText("Saved as revision 1.").waitFor();
    await main().getByText("Published on all 2 relays.").waitFor();
    await panel().getByText("both its relays have them").waitFor();
    const [event] = (await resident.relays[0]?.held()) ?? [];
    expect(await resident.relays[1]?.held()).toEqual([event]);
    await panel().getByTitle(`Copy event ${event?.id}`).waitFor();
    await panel().getByTitle(`Copy public key ${resident.npub}`).waitFor();
    await expect.poll(() => relayLines()).toEqual(resident.relays.map(({ url }) => `${url} has it`));
    await entry(1).getByText("published", { exact: true }).waitFor();
    await expect
      .poll(() => entry(1).getByTitle(`Copy event ${event?.id}`).textContent())
      .toBe(`Copy event ${event?.id.slice(0, 8)}…`);
  });

  test("a relay that did not take it is named, with its reason, and how far it is behind", async () => {
    const [, full] = resident.relays as [Relay, Relay];
    const empty = resident.fill(full);
    await write("I count plums and pears.");
    await main().getByText("Published on 1 of 2 relays.").waitFor();
    const missed = main().getByRole("list", { name: "Relays that did not take it" });
    await expect.poll(() => missed.getByRole("listitem").allInnerTexts()).toEqual([`${full.url} ${noRoom}`]);
    await panel()
      .getByText(/has an older one, \d+ (?:second|minute)s? behind/)
      .waitFor();
    await panel().getByText("1 of its 2 relays has them").waitFor();
    empty();
  });

  test("what no relay took waits, and is the same event when it is sent again", async () => {
    const empty = resident.relays.map(resident.fill);
    await write("I count everything.");
    await main().getByText("Not published yet: no relay took it.").waitFor();
    await panel().getByText("Revision 3 is not published yet.").waitFor();
    await entry(3).getByText("not published yet").waitFor();
    const [waiting] = await stage.store.publications.list({ agent: "rita", state: "waiting" });
    await panel().getByTitle(`Copy event ${waiting?.id}`).waitFor();
    const again = panel().getByRole("button", { name: "Send again" });
    await again.click();
    await panel().getByRole("status").getByText("Not published yet: no relay took it.").waitFor();
    for (const one of empty) one();
    await again.click();
    await panel().getByText("both its relays have them").waitFor();
    await again.waitFor({ state: "detached" });
    expect((await resident.relays[0]?.held())?.map(({ id }) => id)).toEqual([waiting?.id]);
    await entry(3).getByText("published", { exact: true }).waitFor();
  });

  test("what was written elsewhere is the next revision, and said to be from there", async () => {
    const [relay] = resident.relays as [Relay, Relay];
    const event = await resident.writeElsewhere("I count what comes.", relay);
    await askAgain();
    await entry(4).getByText("written elsewhere", { exact: true }).waitFor();
    await entry(4).getByTitle(`Copy event ${event.id}`).waitFor();
    await entry(4).getByText(`found on ${relay.url}`).waitFor();
    // The other one may have been given it by now: relays that were left behind are healed by whoever looks.
    await panel()
      .getByText(/1 of its 2 relays has them|both its relays have them/)
      .waitFor();
    await editor().getByText("I count what comes.").waitFor();
  });

  test("two changes at the same time: both texts stand side by side, and either can be gone on from", async () => {
    const [relay] = resident.relays as [Relay, Relay];
    resident.writeAtTheSameTime("I count cherries.", relay);
    await write("I count apples.");
    await main().getByText("Saved as revision 5, but something else was written elsewhere at the same time.").waitFor();
    await editor().getByText("I count cherries.").waitFor();
    const notice = main().getByRole("status").filter({ hasText: "Saved as revision 5" });
    await expect
      .poll(() => notice.locator("del, ins").allInnerTexts())
      .toEqual(["I count apples.", "I count cherries."]);
    await notice.getByRole("button", { name: "Dismiss" }).click();
    const conflict = panel().getByRole("list", { name: "Written at the same time" }).getByRole("listitem");
    await conflict.getByText(/Written here \(by the operator, [\d:]+, revision 5\)$/).waitFor();
    await conflict.getByText(/Written elsewhere \(with the same key, [\d:]+, revision 6, current\)$/).waitFor();
    await expect
      .poll(() => conflict.locator("del, ins").allInnerTexts())
      .toEqual(["I count apples.", "I count cherries."]);
    await entry(5)
      .getByText(/something newer was written elsewhere at the same time/)
      .waitFor();
    await conflict.getByRole("button", { name: "Edit what was written here" }).click();
    await editor().getByText("I count apples.").waitFor();
    await expect.poll(() => editor().evaluate((one) => one === document.activeElement)).toBe(true);
    await main().getByRole("button", { name: "Save as revision 7" }).click();
    await main().getByText("Published on all 2 relays.").waitFor();
    expect((await standing())?.after).toBe("I count apples.");
  });

  test("a change that waited for a person is published when it is approved", async () => {
    const context = await stage.house.amendmentContext({ agent: "rita" });
    const tainted = { ...context, turn: { tainted: true, amendments: 0, state: "ExecutingActions" } };
    const operation = { kind: "rewrite" as const, content: "I count what the page says." };
    const proposed = await stage.store.propose(tainted, { section: "core", operation, actor: "agent" });
    expect(proposed).toMatchObject({ verdict: "held" });
    await goTo(window.page, "/approvals?agent=rita");
    await main().getByRole("button", { name: "Approve the change of “core”" }).click();
    await main().getByRole("status").getByText("Published on all 2 relays.").waitFor();
    expect((await standing())?.after).toBe("I count what the page says.");
    await goTo(window.page, place);
  });

  test("without its key it is unavailable, and what to do is said", async () => {
    await resident.addTo(stage.store, "kim", "nowhere");
    await goTo(window.page, "/agents/kim/sections/core");
    await panel().getByText("It could not be read.").waitFor();
    await panel()
      .getByRole("status")
      .getByText(/“nowhere”/)
      .waitFor();
    await expect.poll(() => editor().getAttribute("aria-readonly")).toBe("true");
    await goTo(window.page, place);
  });

  test("where no relay answers it cannot be changed, and that is said in place of a way to save", async () => {
    await editor().press("Control+End");
    await resident.stop(0);
    await resident.stop(1);
    await askAgain();
    await panel().getByText("It could not be read.").waitFor();
    await main().getByText("It cannot be changed now:").waitFor();
    await expect
      .poll(async () => (await relayLines()).map((line) => line.replace(/^\S+ (cannot be reached).*/, "$1")))
      .toEqual(Array(2).fill("cannot be reached"));
    await main().getByRole("link", { name: "core" }).getByText("unavailable now").waitFor();
    await expect.poll(() => editor().getAttribute("aria-readonly")).toBe("true");
    await editor().press("x");
    await expect.poll(() => main().getByRole("button", { name: /^Save/ }).count()).toBe(0);
    await expect.poll(() => entry(1).getByRole("button", { name: "Revert to this" }).isDisabled()).toBe(true);
    await resident.startAgain(0);
    await resident.startAgain(1);
    await askAgain();
    await panel().getByText("both its relays have them").waitFor();
    await main().getByText("It cannot be changed now:").waitFor({ state: "detached" });
    await write("I count again.");
    await main().getByText("Published on all 2 relays.").waitFor();
  });

  test("nothing else went wrong in the browser", () => {
    // Words that were judged while what they stood on changed.
    expect(window.wrong.filter((line) => !/status of 409 /.test(line))).toEqual([]);
  });
});
