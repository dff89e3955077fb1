import { expect, test } from "vitest";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

inBrowser("a person", () => {
  const { stage, window } = onStage();
  const main = () => window.page.getByRole("main");
  const part = (name: string) => main().getByRole("region", { name, exact: true });

  test("what they come to with each agent, and what one has of theirs: conversations, instructions, notes", async () => {
    await goTo(window.page, "/people/olga?agent=ada");
    const turns = await stage.store.turns.list({ agent: "ada", user: "olga", limit: 200 });
    const row = main().getByRole("row", { name: /^ada/ });
    await row.getByRole("link", { name: String(turns.length), exact: true }).waitFor();
    await part("Conversations").getByRole("link", { name: "Hello!" }).waitFor();
    const instructions = part("Instructions").getByRole("link", { name: "instructions", exact: true });
    await expect.poll(() => instructions.getAttribute("href")).toBe("/agents/ada/sections/instructions?user=olga");
    await part("Notes").getByText("my sister is called Ida").waitFor();
  });

  test("a note is edited in place", async () => {
    await part("Notes")
      .getByRole("button", { name: /^Edit: my sister/ })
      .click();
    await window.page.getByRole("dialog").getByLabel("Text").fill("my sister is called Ida, born in May");
    await window.page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await part("Notes").getByText("born in May").waitFor();
    const notes = await stage.store.memory.list({ agent: "ada", user: "olga" });
    expect(notes.map(({ text }) => text)).toContain("my sister is called Ida, born in May");
  });

  test("tokens and invitations are made, listed, and taken back", async () => {
    const more = () => window.page.getByRole("button", { name: "More about olga" });
    await more().click();
    await window.page.getByRole("menuitem", { name: "Token for the API" }).click();
    await window.page
      .getByRole("dialog")
      .getByText(/^charter_/)
      .waitFor();
    await window.page.keyboard.press("Escape");
    const token = part("Tokens and sign-ins").getByRole("listitem").filter({ hasText: "olga with ada" });
    await token.getByText("not used yet").waitFor();
    await token.getByRole("button", { name: /^Revoke/ }).click();
    await token.waitFor({ state: "detached" });
    await more().click();
    await window.page.getByRole("menuitem", { name: "Invite to ada" }).click();
    await window.page
      .getByRole("dialog")
      .getByText(/\/chat\/invitation#/)
      .waitFor();
    await window.page.keyboard.press("Escape");
    await part("Open invitations")
      .getByRole("button", { name: /^Revoke/ })
      .click();
    await part("Open invitations").getByText("None.").waitFor();
    const [invitation] = await stage.store.invitations.list({ user: "olga", limit: 10 });
    expect(invitation?.state).toBe("revoked");
    expect(window.wrong).toEqual([]);
  });
});
