import { afterEach, describe, expect, test } from "vitest";
import { noWebWords, strangerWords, tooManyLinksWords } from "../../src/channels/telegram/wording.ts";
import { signInLink } from "../../src/operations/users/tokens.ts";
import { raw, sql } from "../../src/store/home/sql.ts";
import { agent, newStage, type Stage } from "./stage.ts";

let stage: Stage;
afterEach(() => stage.close());

const pageAt = (base: string) => ({
  url: `${base}/chat`,
  link: (user: string) => signInLink(stage.store, base, { agent, user }),
});

describe("a link to the page for users", () => {
  test("is given in a linked chat, for the user it is linked to; nothing that opens it is kept", async () => {
    stage = await newStage();
    const { fake, store, model } = stage;
    await stage.link("ada", 7);
    await stage.bot({ page: pageAt("https://charter.example.org") }).start();
    fake.says(7, "/web");
    await fake.sent(7, 1);
    const [text = ""] = fake.textsTo(7);
    const [link = "", code = ""] = /https:\/\/charter\.example\.org\/chat#(charter_[\w-]{43})/.exec(text) ?? [];
    expect(text).toBe(
      `Your page, for the next ten minutes and once. Whoever opens it is you there, so pass it to nobody:\n${link}`,
    );
    const kept = await store.home.read("everything", async (db) => {
      const tables = ["tokens", "updates", "dispatches", "events", "turns", "texts"];
      const rows: unknown[] = [];
      for (const table of tables) rows.push(await db.all(sql`select * from ${raw(table)}`));
      return JSON.stringify(rows);
    });
    expect([kept.includes(code.slice(8)), stage.log.join().includes(code), model.requests.length]).toEqual([
      false,
      false,
      0,
    ]);
    expect(await store.tokens.redeem(code, "user")).toMatchObject({ user: "ada", agent });
  });
});

test("strangers get none, and are told where the page is; in a linked chat there are five in ten minutes", async () => {
  stage = await newStage();
  const { fake, store } = stage;
  await stage.link("ada", 7);
  await stage.bot({ page: pageAt("https://charter.example.org") }).start();
  fake.says(666, "/web");
  await fake.sent(666, 1);
  expect(fake.textsTo(666)).toEqual([strangerWords("https://charter.example.org/chat")]);
  expect(fake.textsTo(666)[0]).toContain("web page (https://charter.example.org/chat), or");
  for (let count = 0; count < 6; count++) fake.says(7, "/WEB@eva_bot ");
  await fake.sent(7, 6);
  expect(fake.textsTo(7).filter((text) => text === tooManyLinksWords).length).toBe(1);
  expect((await store.tokens.list()).map(({ kind, user }) => [kind, user])).toEqual(
    Array.from({ length: 5 }, () => ["sign-in", "ada"]),
  );
});

test("with other words behind it, it is said to the agent; on one machine alone that is said; without a page too", async () => {
  stage = await newStage();
  const { fake, model } = stage;
  model.say("Which one?");
  await stage.link("ada", 7);
  const bot = stage.bot({ page: { link: pageAt("http://127.0.0.1:4747").link } });
  await bot.start();
  fake.says(7, "/web pages are nice");
  await fake.sent(7, 1);
  fake.says(7, "/web");
  await fake.sent(7, 2);
  const [reply, link] = fake.textsTo(7);
  expect(reply).toBe("Which one?");
  expect(link).toMatch(
    /http:\/\/127\.0\.0\.1:4747\/chat#charter_[\w-]{43}\n\nIt opens only on the machine I run on\.$/,
  );
  await bot.stop();
  await stage.bot().start();
  fake.says(7, "/web");
  await fake.sent(7, 3);
  expect(fake.textsTo(7)[2]).toBe(noWebWords);
});
