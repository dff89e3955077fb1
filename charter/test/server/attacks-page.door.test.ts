import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signInLink } from "../../src/operations/users/tokens.ts";
import { type ListeningServer, listen } from "../../src/server/listen.ts";
import { noBrowser, openContext } from "../browser.ts";
import { type Core, newCore, sampleRoutes } from "./core/core-stage.ts";

/** The operator is signed in, in a browser; in another tab of it, a stranger's page does what it can. */
describe.skipIf(noBrowser)("a stranger's page in the operator's browser", () => {
  let core: Core;
  let server: ListeningServer;
  let stranger: Server;
  let context: BrowserContext;
  let changes = 0;
  const strangersPort = () => (stranger.address() as AddressInfo).port;
  const ourPort = () => new URL(server.url).port;

  beforeAll(async () => {
    core = await newCore({
      pages: new Map([["/", { type: "text/html", body: "<!doctype html><title>Ours</title>" }]]),
      routes: [
        sampleRoutes,
        (api) => {
          api.post("/change", (asked) => asked.json({ changes: ++changes }));
        },
      ],
    });
    server = await listen(core.app, { port: 0 });
    stranger = createServer((_, response) => response.end("<!doctype html><title>Stranger</title><body></body>"));
    await new Promise<void>((resolve) => stranger.listen(0, resolve));
    context = await openContext();
    const page = await context.newPage();
    await page.goto(await signInLink(core.store, server.url));
    await page.waitForURL(`${server.url}/`);
    expect(await page.evaluate("document.cookie")).toBe("");
  });
  afterAll(async () => {
    await context?.close();
    stranger?.close();
    await server?.close(0);
    await core?.close();
  });

  /** Runs words in a page of that address; what they come to, or why they did not. */
  async function on(address: string, words: string): Promise<unknown> {
    const page = await context.newPage();
    await page.goto(address);
    const result = await page.evaluate(`(async () => { ${words} })().catch((error) => String(error))`);
    await page.close();
    return result;
  }

  const asking = (path: string, more: string) =>
    `const answer = await fetch("http://127.0.0.1:${ourPort()}${path}", { credentials: "include", ${more} });
     return answer.type === "opaque" ? "opaque" : [answer.status, await answer.text()];`;

  test("our own page reads and writes", async () => {
    const own = { headers: { "x-charter-csrf": "1" } };
    const words = `const get = await fetch("/api/who"); const post = await fetch("/api/change", { method: "POST", ...${JSON.stringify(own)} });
      return [(await get.json()).kind, post.status];`;
    const before = changes;
    expect(await on(`${server.url}/`, words)).toEqual(["operator", 200]);
    expect(changes - before).toBe(1);
  });

  const places: [what: string, address: () => string][] = [
    ["another site", () => `http://evil.example:${strangersPort()}/`],
    ["another port of this machine", () => `http://127.0.0.1:${strangersPort()}/`],
    ["another name of this machine", () => `http://localhost:${strangersPort()}/`],
  ];
  for (const [what, address] of places) {
    test(`${what} reads nothing`, async () => {
      expect(await on(address(), asking("/api/who", ""))).toBe("TypeError: Failed to fetch");
      expect(await on(address(), asking("/api/who", 'mode: "no-cors"'))).toBe("TypeError: Failed to fetch");
      const script = `const script = document.createElement("script"); script.src = "http://127.0.0.1:${ourPort()}/api/who";
        return new Promise((resolve) => { script.onload = () => resolve("read"); script.onerror = () => resolve("blocked"); document.body.append(script); });`;
      expect(await on(address(), script)).toBe("blocked");
    });

    test(`${what} changes nothing`, async () => {
      const before = changes;
      const post = (more: string) => on(address(), asking("/api/change", `method: "POST", ${more}`));
      expect(await post('headers: { "x-charter-csrf": "1" }')).toBe("TypeError: Failed to fetch");
      expect(await post('body: "{}"')).toBe("TypeError: Failed to fetch");
      await post('mode: "no-cors", body: "{}"');
      const page = await context.newPage();
      await page.goto(address());
      await page.evaluate(`const form = document.createElement("form");
        Object.assign(form, { method: "POST", action: "http://127.0.0.1:${ourPort()}/api/change", enctype: "text/plain" });
        document.body.append(form); form.submit();`);
      await page.waitForURL(`http://127.0.0.1:${ourPort()}/api/change`);
      await expect.poll(() => page.textContent("body")).toMatch(/foreign-page|no-token|To sign in, open a link/);
      await page.close();
      expect(changes).toBe(before);
    });

    test(`${what} cannot show our page as its own, nor hold on to it`, async () => {
      const frame = `const frame = document.createElement("iframe"); frame.src = "http://127.0.0.1:${ourPort()}/"; document.body.append(frame);
        await new Promise((resolve) => { frame.onload = resolve; });
        try { return frame.contentDocument?.title ?? "nothing"; } catch { return "nothing"; }`;
      expect(await on(address(), frame)).not.toBe("Ours");
    });
  }

  test("a name that was made to lead to us is not answered, whatever its page asks", async () => {
    const page = await context.newPage();
    const answer = await page.goto(`http://rebound.example:${ourPort()}/`);
    expect(answer?.status()).toBe(421);
    const words = 'fetch("/api/who").catch((error) => String(error))';
    await expect.poll(() => page.evaluate(words)).toBe("TypeError: Failed to fetch");
    await page.close();
  });

  test("a script that got into one of our pages does not run", async () => {
    const page = await context.newPage();
    await page.goto(`${server.url}/`);
    const ran = await page.evaluate(`
      const script = document.createElement("script");
      script.textContent = "globalThis.ran = true";
      document.head.append(script);
      document.body.insertAdjacentHTML("beforeend", '<img src="data:," onerror="globalThis.ran = true">');
      new Promise((resolve) => { document.body.lastChild.addEventListener("error", () => resolve("ran" in globalThis)); });
    `);
    expect(ran).toBe(false);
    await page.close();
  });

  test("the reference is read without a script, and says what there is", async () => {
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("console", (message) => faults.push(message.text()));
    await page.goto(`${server.url}/docs`);
    await page.getByText("/api/models/test").click();
    await expect.poll(() => page.getByText("Finds a wrong key, name or address.").isVisible()).toBe(true);
    await expect.poll(() => page.locator("details[open] pre").first().textContent()).toMatch(/^\{\n {2}model: string/);
    await expect.poll(async () => [faults, await page.locator("script").count()]).toEqual([[], 0]);
    await page.close();
  });
});
