import { expect, test } from "vitest";
import { inBrowser, onStage } from "./stage/on-stage.ts";

inBrowser("signing in", () => {
  const { stage, window } = onStage({
    lived: false,
    follow: true,
    prepare: ({ store }) => store.agents.add({ name: "ada", charter: "assistant" }),
  });

  const signOut = async () => {
    await window.page.goto(`${stage.url}/home`);
    await window.page.getByRole("button", { name: "Theme, API, sign out" }).click();
    await window.page.getByRole("menuitem", { name: "Sign out" }).click();
    await window.page.getByText("To sign in, open a link.").waitFor();
  };
  /** Opens a link in the same tab, and gives the address one arrives at. */
  const arrive = async () => {
    const link = await stage.link();
    await window.page.goto(link);
    await window.page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
    await window.page.getByRole("heading", { level: 1 }).first().waitFor();
    return window.page.url().slice(stage.url.length);
  };

  test("whoever followed a link to a page before signing in comes to that page afterwards", async () => {
    await signOut();
    const wanted = "/agents/ada/sections/soul?user=olga";
    await window.page.goto(stage.url + wanted);
    await window.page.getByText("To sign in, open a link.").waitFor();
    await expect.poll(() => new URL(window.page.url()).pathname).toBe("/sign-in");
    expect(await arrive()).toBe(wanted);
    window.wrong.splice(0);
  });

  test("nobody is sent to another site, whatever stands where the page was noted", async () => {
    const notes = ["//evil.example/agents/", "https://evil.example/agents/ada", "javascript:alert(1)", "/docs"];
    for (const note of notes) {
      await window.page.goto(`${stage.url}/sign-in`);
      await window.page.evaluate(`sessionStorage.setItem("charter-after-sign-in", ${JSON.stringify(note)})`);
      expect([note, await arrive()]).toEqual([note, "/start"]);
    }
    expect(window.wrong).toEqual([]);
  });

  test("signing out ends it: the page before is not to be read by going back", async () => {
    await signOut();
    await window.page.goBack();
    await window.page.getByText("To sign in, open a link.").waitFor();
  });

  test("whose token is taken back elsewhere sees the sign-in page, without doing anything", async () => {
    const page = await arrive();
    const signedIn = (await stage.store.tokens.list()).filter(
      ({ revokedAt, kind }) => !revokedAt && kind === "operator",
    );
    for (const { id } of signedIn) await stage.store.tokens.revoke(id);
    await window.page.getByText("To sign in, open a link.").waitFor();
    expect(await arrive()).toBe(page);
  });
});
