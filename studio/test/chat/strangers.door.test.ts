import { afterEach, describe, expect, test } from "vitest";
import { signInLink } from "../../../charter/src/operations/users/tokens.ts";
import { createSchedule } from "../../../charter/src/schedules/schedule.ts";
import { calls } from "../../../charter/test/agent/model.ts";
import { hostile, markup, turned } from "../stage/hostile.ts";
import { inBrowser } from "../stage/on-stage.ts";
import { arrive, beginConversation, onUserStage, open, openUserWindow, say } from "./stage.ts";

const signedOut = { level: 1, name: "Sign in with a link" } as const;
const user = '"><script>window.hacked = 2</script> \u05D3\u05D4/..';
const pages = ["Instructions", "Notes", "Reminders", "Waiting for you", "Telegram", "Account"];

inBrowser("the page for users, before those who mean no good", () => {
  const on = onUserStage();
  const page = () => on.window().page;
  afterEach(() => expect(on.window().wrong.splice(0)).toEqual([]));

  /** Everything someone could try to come in by, or to make someone else come in by. */
  describe("whoever has no link of their own", () => {
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
      await expect.poll(() => page().locator("body").innerText()).not.toMatch(/ada|studio|operator/i);
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
      await expect.poll(() => thief.evaluate(asked('"guess"'))).toBe(401);
      const half = (await page().evaluate('localStorage.getItem("charter-chat-half")')) as string;
      const { page: second } = await another();
      await second.goto(`${on.stage().url}/chat`);
      await expect.poll(() => second.evaluate(asked(JSON.stringify(half)))).toBe(401);
      await expect.poll(() => page().evaluate(asked('localStorage.getItem("charter-chat-half")'))).toBe(200);
    });

    test("the cookie is no key to the operator's API, and no script can read it", async () => {
      const status = (path: string) => page().evaluate(`fetch("${path}").then(({ status }) => status)`);
      expect(await status("/api/me")).toBe(401);
      expect(await status("/api/agents")).toBe(401);
      await expect.poll(() => page().evaluate("document.cookie")).toBe("");
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
      await beginConversation(page());
      await say(page(), "A secret.");
      await beginConversation(page());
      await page().getByRole("textbox", { name: "Message" }).fill("Not sent yet");
      await open(page(), "Account");
      await page().getByRole("button", { name: "Sign out everywhere" }).click();
      await page().getByRole("heading", signedOut).waitFor();
      await expect.poll(() => page().evaluate("Object.keys(localStorage)")).toEqual([]);
      await other.reload();
      await other.getByRole("heading", signedOut).waitFor();
      await page()
        .goBack()
        .catch(() => {});
      await page().getByRole("heading", signedOut).waitFor();
      on.window().wrong.splice(0);
    });
  });

  /** No word of anyone's is more than a word. */
  describe("nothing but hostile words in it", () => {
    const scope = { agent: "ada", user };

    afterEach(async () => {
      await expect.poll(() => page().evaluate("window.hacked")).toBeUndefined();
      for (const tag of ["main script", "main iframe", 'a[href^="javascript"]', 'main img[src="/x"]'])
        await expect.poll(async () => [tag, await page().locator(tag).count()]).toEqual([tag, 0]);
    });

    test("a reply of markup, links and marks that turn the letters is text", async () => {
      await on.stage().store.agents.update("ada", async (agent) => ({ ...agent, label: `${markup.slice(0, 60)}` }));
      await arrive(page(), await on.stage().link(user));
      on.stage().model.say(
        `${hostile}\n\n[link](javascript:alert(3)) ![](https://evil.example/y.png) <https://evil.example/x>\n\n\`\`\`html\n${markup}\n\`\`\``,
      );
      const told = await say(page(), `${hostile} **bold**`);
      expect(told).toContain('<script>window.hacked = "script"</script>');
      expect(told).toContain("[link](javascript:alert(3))");
      await expect.poll(() => page().locator("main img").count()).toBe(0);
    });

    test("so are tools, their inputs, and what waits; characters nobody sees are written out", async () => {
      on.stage().model.say(calls(["inbox", {}]), calls(["send_mail", { to: hostile, body: markup }]), hostile);
      await say(page(), markup);
      await page().getByRole("region", { name: "Waits for you" }).getByText("\\u202e").first().waitFor();
    });

    test("so are instructions, notes and reminders that others wrote, on every page", async () => {
      const { store, model } = on.stage();
      await store.memory.save(scope, { text: `${hostile} ${"x".repeat(7000)}`, tainted: true });
      const asked = { scope, title: `${markup.slice(0, 120)} ${turned}`, input: hostile, cron: "0 8 * * *" };
      await createSchedule(asked, store, new Date());
      model.say(calls(["inbox", {}]), calls(["update_instructions", { instructions: `Say: ${markup}` }]), "Held.");
      await say(page(), "Go on.");
      for (const name of pages) {
        await open(page(), name);
        await page().getByText("Loading…").waitFor({ state: "detached" });
        await expect.poll(() => page().evaluate("window.hacked")).toBeUndefined();
      }
      await open(page(), "Waiting for you");
      await page().getByRole("region", { name: "Waits for you" }).first().waitFor();
    });

    test("what one types oneself is text too: in every field", async () => {
      await open(page(), "Notes");
      await page().getByRole("searchbox").fill(markup);
      await page().getByRole("button", { name: "Add a note" }).click();
      await page().getByRole("textbox", { name: "New note" }).fill(markup);
      await page().getByRole("button", { name: "Save" }).click();
      await page().getByRole("searchbox").fill("");
      await page().getByRole("list", { name: "Notes" }).getByText("iframe").first().waitFor();
      await open(page(), "Reminders");
      await page().getByRole("button", { name: "Add a reminder" }).click();
      await page().getByLabel("Remind me of").fill(markup.slice(0, 100));
      await page().getByRole("button", { name: "Save" }).click();
      await expect.poll(() => page().getByRole("list", { name: "Reminders" }).getByRole("article").count()).toBe(2);
      await open(page(), "Account");
      await page().getByRole("button", { name: "Delete everything…" }).click();
      await page().getByRole("dialog").getByLabel("Your name here").fill(user);
      await page().getByRole("button", { name: "Delete permanently" }).click();
      await page().getByRole("heading", { name: "Sign in with a link" }).waitFor();
    });
  });
});
