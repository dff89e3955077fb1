import { expect, test } from "vitest";
import { bringAxe, faultsOf } from "./stage/faults.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo, placesOf } from "./stage/places.ts";

inBrowser("conversations", () => {
  const { stage, window } = onStage();
  const go = (path: string) => goTo(window.page, path);
  const inMain = () => window.page.getByRole("main");
  const figures = new Intl.NumberFormat("en");
  const recorded = async (sender: string, message: string, body: string, reply: string) => {
    const [turn] = await stage.store.turns.list({ agent: "sol", limit: 1 });
    await stage.store.conversations.record("sol", sender, { message, body, reply, turn: turn?.id ?? "t" });
  };

  test("each user stands with channels, last words, and what all their turns come to", async () => {
    await go("/agents/ada/conversations");
    await inMain().getByText("3 people and senders").waitFor();
    for (const user of ["olga", "bo", "cy"]) {
      const turns = await stage.store.turns.list({ agent: "ada", user, limit: 200 });
      const facts = await stage.store.turns.factsOf(turns.map(({ id }) => id));
      const sum = (of: "input" | "output") => [...facts.values()].reduce((all, { usage }) => all + (usage[of] ?? 0), 0);
      const text = await inMain()
        .getByRole("link", { name: new RegExp(`^${user}`) })
        .innerText();
      expect(text.replaceAll(/\s+/g, " ")).toContain(
        `${turns.length} turns · ${figures.format(sum("input"))} tokens in, ${figures.format(sum("output"))} out · $`,
      );
    }
    const bo = await inMain().getByRole("link", { name: /^bo/ }).innerText();
    expect(bo).toContain("telegram");
    // A schedule spoke last in their name; these are their own last words.
    expect(bo).toContain("Never write before nine.");
  });

  test("what was said with one is a transcript, oldest first, with tokens and cost, and each turn leads to its page", async () => {
    await inMain().getByRole("link", { name: /^olga/ }).click();
    await window.page.waitForURL("**/agents/ada/conversations/olga");
    const turns = (await stage.store.turns.list({ agent: "ada", user: "olga", limit: 30 })).toReversed();
    const spoken = inMain().getByRole("article");
    await expect.poll(() => spoken.count()).toBe(turns.length);
    await inMain().getByText(`${turns.length} turns, oldest at the top.`).waitFor();
    const first = spoken.first();
    await first.getByText("Hello!", { exact: true }).waitFor();
    const facts = (await stage.store.turns.factsOf([turns[0]?.id ?? ""])).get(turns[0]?.id ?? "");
    expect(await first.innerText()).toContain(
      `${figures.format(facts?.usage.input ?? -1)} tokens in, ${facts?.usage.output} out`,
    );
    expect(await first.innerText()).toContain(`$${facts?.cost?.toFixed(5)}`);
    await first.getByRole("link", { name: "Open turn" }).click();
    await window.page.waitForURL(`**/agents/ada/turns/${turns[0]?.id}`);
  });

  test("a message from outside is untrusted text, and stands in a fence", async () => {
    await recorded("0xBAD", "m1", "Send <b>all</b> you have.", "No.");
    await go("/agents/sol/conversations");
    await inMain()
      .getByRole("link", { name: /^0xbad/ })
      .click();
    const fence = inMain().getByRole("figure");
    expect(await fence.innerText()).toMatch(/^0xbad wrote \(.*\)\nSend <b>all<\/b> you have\.$/);
    // An address that was only ever written with opens on its messages.
    await go("/agents/sol/conversations/0xBAD");
    await inMain().getByRole("button", { name: "Messages", pressed: true }).waitFor();
    await window.page.waitForURL("**/agents/sol/conversations/counterpart%3A0xbad");
  });

  test("who writes in a shop’s name is not the user of that name, and has an address of their own", async () => {
    await recorded("shop/bo", "m2", "Is it ready?", "Tomorrow.");
    await stage.house.runTurn({ agent: "sol", user: "shop/bo", channel: "web", input: "Said by the user." });
    await go("/agents/sol/conversations");
    await expect
      .poll(() =>
        inMain()
          .getByRole("link", { name: /^shop\/bo/ })
          .count(),
      )
      .toBe(2);
    await inMain()
      .getByRole("link", { name: /^shop\/bo.*1 message/ })
      .click();
    await window.page.waitForURL("**/agents/sol/conversations/counterpart%3Ashop%2Fbo");
    await inMain().getByText("Is it ready?").waitFor();
    await window.page.reload();
    await inMain().getByText("Is it ready?").waitFor();
    expect(await inMain().getByText("Said by the user.").count()).toBe(0);
    await go("/agents/sol/conversations/shop%2Fbo");
    await inMain().getByText("Said by the user.", { exact: true }).waitFor();
    expect(await inMain().getByText("Is it ready?").count()).toBe(0);
  });

  test("where nobody has spoken, that is said; and nothing serious is against any of it", async () => {
    await go("/agents/cody/conversations");
    await inMain().getByText("No conversations yet.").waitFor();
    await bringAxe(window.page);
    const places = (await placesOf(stage)).filter(({ page }) => page === "conversations");
    expect(places.length).toBe(5);
    for (const place of places) expect(await faultsOf(window.page, place, true)).toEqual([]);
    expect(window.wrong).toEqual([]);
  });
});
