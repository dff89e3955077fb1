import { afterEach, expect, test } from "vitest";
import { inBrowser } from "../stage/on-stage.ts";
import { arrive, onUserStage, open, openUserWindow, say } from "./stage.ts";

const signedOut = { level: 1, name: "Sign in with a link" } as const;

/** Everything someone could try to come in by, or to make someone else come in by. */
inBrowser("whoever has no link of their own", () => {
  const on = onUserStage();
  const page = () => on.window().page;
  afterEach(() => expect(on.window().wrong.splice(0)).toEqual([]));
  const others: Awaited<ReturnType<typeof openUserWindow>>[] = [];
  const another = async (about?: Parameters<typeof openUserWindow>[0]) => {
    const window = await openUserWindow(about);
    others.push(window);
    return window;
  };
  afterEach(async () => {
    for (const { context } of others.splice(0)) await context.close();
  });

  test("without a link the page says how to get one, and shows nothing", async () => {
    await page().goto(`${on.stage().url}/chat`);
    await page().getByRole("heading", signedOut).waitFor();
    await page().goto(`${on.stage().url}/chat#/notes`);
    await page().getByRole("heading", signedOut).waitFor();
    expect(await page().locator("body").innerText()).not.toMatch(/ada|studio|operator/i);
  });

  test("a link works once, an old one not at all, and neither does one that was made up", async () => {
    const link = await on.stage().link("bo");
    await arrive(page(), link);
    const { page: thief } = await another();
    for (const wrong of [link, `${on.stage().url}/chat#charter_si_made-up`, `${on.stage().url}/chat#<b>x</b>`]) {
      await thief.goto("about:blank");
      await thief.goto(wrong);
      await thief.getByText("This link does not work any more").waitFor();
      expect(thief.url()).toBe(`${on.stage().url}/chat`);
    }
    const { secret } = await on.stage().store.tokens.create({
      ...{ name: "sign-in link", kind: "sign-in", agent: "ada", user: "bo" },
      expiresAt: new Date(Date.now() - 1000).toISOString(),
    });
    const old = `${on.stage().url}/chat#${secret}`;
    await thief.goto("about:blank");
    await thief.goto(old);
    await thief.getByText("This link does not work any more").waitFor();
  });

  test("the operator's link opens nothing here, and a user's none of the studio", async () => {
    const { signInLink } = await import("../../../charter/src/server/auth/sign-in-link.ts");
    const { page: other } = await another();
    const operators = await signInLink(on.stage().store, on.stage().url);
    await other.goto(operators.replace("/sign-in#", "/chat#"));
    await other.getByText("This link does not work any more").waitFor();
    const users = await on.stage().link("bo");
    await other.goto(users.replace("/chat#", "/sign-in#"));
    await other.getByText(/unknown, has expired or was already used/).waitFor();
  });

  test("a copied cookie is nothing without the half that the page keeps, and half is nothing without the cookie", async () => {
    const { page: thief } = await another({ copyOf: on.window().context });
    await thief.goto(`${on.stage().url}/chat`);
    await thief.getByRole("heading", signedOut).waitFor();
    const asked = (half: string) =>
      `fetch("/chat/api/me", { headers: { "x-charter-half": ${half} } }).then(({ status }) => status)`;
    expect(await thief.evaluate(asked('"guess"'))).toBe(401);
    const half = (await page().evaluate('localStorage.getItem("charter-chat-half")')) as string;
    const { page: second } = await another();
    await second.goto(`${on.stage().url}/chat`);
    expect(await second.evaluate(asked(JSON.stringify(half)))).toBe(401);
    expect(await page().evaluate(asked('localStorage.getItem("charter-chat-half")'))).toBe(200);
  });

  test("the cookie is no key to the operator's API, and no script can read it", async () => {
    const status = (path: string) => page().evaluate(`fetch("${path}").then(({ status }) => status)`);
    expect(await status("/api/me")).toBe(401);
    expect(await status("/api/agents")).toBe(401);
    expect(await page().evaluate("document.cookie")).toBe("");
    on.window().wrong.splice(0);
  });

  test("whoever is signed in is asked before somebody else's link signs them in as another", async () => {
    await page().goto("about:blank");
    await page().goto(await on.stage().link("eve"));
    await page().getByRole("heading", { name: "You are signed in already" }).waitFor();
    await page().getByRole("button", { name: "Stay signed in" }).click();
    await open(page(), "Account");
    await page().getByText("You are signed in as bo").waitFor();
    await page().evaluate(`location.hash = ${JSON.stringify((await on.stage().link("cy")).split("#")[1])}`);
    await page().getByRole("button", { name: "Sign in with the link" }).click();
    await page().getByRole("textbox", { name: "Message" }).waitFor();
    await open(page(), "Account");
    await page().getByText("You are signed in as cy").waitFor();
  });

  test("whoever signs out everywhere is signed out in every browser, and nothing of theirs stays in this one", async () => {
    const { page: other } = await another();
    await arrive(other, await on.stage().link("cy"));
    await page().getByRole("link", { name: "New conversation" }).click();
    await say(page(), "A secret.");
    await page().getByRole("link", { name: "New conversation" }).click();
    await page().getByRole("textbox", { name: "Message" }).fill("Not sent yet");
    await open(page(), "Account");
    await page().getByRole("button", { name: "Sign out everywhere" }).click();
    await page().getByRole("heading", signedOut).waitFor();
    expect(await page().evaluate("Object.keys(localStorage)")).toEqual([]);
    await other.reload();
    await other.getByRole("heading", signedOut).waitFor();
    await page()
      .goBack()
      .catch(() => {});
    await page().getByRole("heading", signedOut).waitFor();
    on.window().wrong.splice(0);
  });
});
