import { expect, test } from "vitest";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

inBrowser("addresses and titles", () => {
  const { window } = onStage();

  test("a tab is called after its page and its agent", async () => {
    const { page } = window;
    await goTo(page, "/agents/ada/prompt");
    await page.waitForFunction(() => document.title === "Prompt · ada · Charter");
    await goTo(page, "/agents/ada/chat");
    await page.waitForFunction(() => document.title === "Chat · ada · Charter");
    await goTo(page, "/agents");
    await page.waitForFunction(() => document.title === "Agents · Charter");
  });

  test("an address that names no page says so, and leads on", async () => {
    const { page } = window;
    await goTo(page, "/agents/ada/promt");
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    await page.getByText("There is no page at /agents/ada/promt").waitFor();
    await page.getByRole("link", { name: "list of agents" }).click();
    await page.waitForURL("**/agents");
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
    window.wrong.splice(0);
  });
});
