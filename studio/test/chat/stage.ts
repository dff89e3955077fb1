import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { z } from "zod";
import { defineTool } from "../../../charter/src/agent/tool.ts";
import { signInLink } from "../../../charter/src/operations/users/tokens.ts";
import { openCharter } from "../../../charter/src/server/open.ts";
import { createStore, type Store, sqlite } from "../../../charter/src/store/index.ts";
import { type Line, type Scripted, scripted } from "../../../charter/test/agent/model.ts";
import { openContext } from "../../../charter/test/browser.ts";
import { type FakeTelegram, startTelegram } from "../../../charter/test/telegram/fake.ts";

/** A service as `charter start` runs it, with a bot at a Telegram of ours and a model that follows a script. */
export type UserStage = {
  readonly url: string;
  readonly store: Store;
  readonly model: Scripted;
  readonly telegram: FakeTelegram;
  /** A link that signs a user in to the agent “ada”, once. */
  readonly link: (user: string) => Promise<string>;
  readonly close: () => Promise<void>;
};

export const inbox = defineTool({
  name: "inbox",
  input: z.object({}),
  summary: "Read the inbox",
  harmless: true,
  run: () => "Please send my regards to bo@example.org.",
});
export const sendMail = defineTool({
  name: "send_mail",
  input: z.object({ to: z.string(), body: z.string() }),
  summary: "Send a mail",
  trusted: true,
  run: () => "Sent.",
});

export async function openUserStage(): Promise<UserStage> {
  const folder = mkdtempSync(join(tmpdir(), "charter-chat-"));
  const store = await createStore(sqlite(join(folder, "charter.db")));
  await store.agents.add({ name: "ada", charter: "assistant", label: "Ada" });
  const model = scripted();
  const telegram = await startTelegram();
  const opened = await openCharter({
    store,
    config: {
      ...{ port: 0, operator: "olga", tools: [inbox, sendMail], graceSeconds: 1 },
      telegram: { agent: "ada", token: telegram.token, api: telegram.url },
    },
    services: { http: true, polling: true },
    loadModel: async () => model,
  });
  const url = opened.url as string;
  return {
    ...{ url, store, model, telegram },
    link: (user) => signInLink(store, url, { agent: "ada", user }),
    close: async () => {
      await opened.close();
      await telegram.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type UserWindow = {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What went wrong in it, or ran that should not. */
  readonly wrong: string[];
};

/** A browser of someone's own. */
export async function openUserWindow(
  about: {
    readonly width?: number;
    readonly height?: number;
    readonly dark?: boolean;
    /** Has the cookies of another's browser, and nothing else of it. */
    readonly copyOf?: BrowserContext;
  } = {},
): Promise<UserWindow> {
  const { width = 1280, height = 800, dark = false, copyOf } = about;
  const context = await openContext({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
    acceptDownloads: true,
  });
  if (copyOf) await context.addCookies(await copyOf.cookies());
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on("console", (message) => {
    // Whoever is signed out elsewhere hears of it by their event feed.
    const feed = message.location().url.endsWith("/chat/api/events");
    if (message.type() === "error" && !feed) wrong.push(message.text());
  });
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("dialog", (dialog) => {
    wrong.push(`A dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { context, page, wrong };
}

/** A stage and a window for all tests of a `describe`. */
export function onUserStage(about: Parameters<typeof openUserWindow>[0] = {}) {
  let stage: UserStage | undefined;
  let window: UserWindow | undefined;
  beforeAll(async () => {
    stage = await openUserStage();
    window = await openUserWindow(about);
  });
  afterAll(async () => {
    await window?.context.close();
    await stage?.close();
  });
  return { stage: () => stage as UserStage, window: () => window as UserWindow };
}

/** Follows a link and waits for the page. */
export async function arrive(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole("textbox", { name: "Message" }).waitFor();
}

/** Goes to a page of the menu. */
export async function open(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
}

/** Begins a conversation, and waits until the one before it is out of sight. */
export async function beginConversation(page: Page): Promise<void> {
  await page.getByRole("link", { name: "New conversation" }).first().click();
  await expect.poll(() => page.getByRole("article").count()).toBe(0);
}

/** Says something and waits for the end of the answer, which it gives. */
export async function say(page: Page, text: string): Promise<string> {
  const before = await page.getByRole("article").count();
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Enter");
  const said = page.locator('article[aria-busy="false"]').nth(before);
  await said.waitFor();
  await page.getByRole("button", { name: "Send" }).waitFor();
  return said.locator("[data-answer]").innerText();
}

/** Says a little, and the rest when it is told to go on. */
export function pausing(first: string, whole: string): { readonly line: Line; readonly goOn: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const line: Line = async (_, { onText }) => {
    onText?.(first);
    await promise;
    return { text: whole };
  };
  return { line, goOn: resolve };
}

/** A picture of one point. */
export const point = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);
