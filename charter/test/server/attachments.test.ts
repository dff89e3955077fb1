import { afterEach, beforeEach, expect, test } from "vitest";
import { allRoutes } from "../../src/server/app.ts";
import { png } from "../agent/pictures.ts";
import { type Asking, type Core, newCore } from "./core/core-stage.ts";

let core: Core;
beforeEach(async () => {
  core = await newCore({ routes: allRoutes });
});
afterEach(() => core.close());

const turns = "/api/agents/assistant/turns";
const photo = png(40, 30);
const file = Buffer.from(photo).toString("base64");

const ask = (path: string, asking: Asking = {}) => core.ask(path, { token: core.tokens.ada, ...asking });

test("a picture comes with a turn, is named by it, and is shown to its own user alone", async () => {
  const input = [{ text: "What is this?" }, { file, mediaType: "image/png", name: "cat.png" }];
  const taken = (await (await ask(turns, { json: { input } })).json()) as { turn: string; tainted: boolean };
  expect(taken).toMatchObject({ state: "answered", tainted: true });
  const told = (await (await ask(`/api/turns/${taken.turn}`)).json()) as { attachments: { digest: string }[] };
  const [attachment] = told.attachments;
  expect(attachment).toMatchObject({ mediaType: "image/png", bytes: photo.length, name: "cat.png", width: 40 });
  const path = `/api/agents/assistant/attachments/${attachment?.digest}`;
  const shown = await ask(path);
  expect(shown.status).toBe(200);
  expect(
    Object.fromEntries([...shown.headers].filter(([name]) => /^content-(type|disp|sec)|nosniff/.test(name))),
  ).toEqual({
    "content-type": "image/png",
    "content-disposition": "inline",
    "content-security-policy": "default-src 'none'; sandbox",
  });
  expect(Buffer.from(await shown.arrayBuffer()).equals(Buffer.from(photo))).toBe(true);
  expect((await ask(path, { token: core.tokens.bob })).status).toBe(404);
  expect((await ask(path, { token: core.tokens.operator })).status).toBe(404);
  expect((await ask(`${path}?user=ada`, { token: core.tokens.operator })).status).toBe(200);
});

test("a chat of the AI SDK sends its file parts, as data URLs", async () => {
  const part = { type: "file", mediaType: "image/png", filename: "cat.png", url: `data:image/png;base64,${file}` };
  const messages = [{ role: "user", parts: [{ type: "text", text: "Look." }, part] }];
  const answer = await ask(turns, { json: { id: "chat-1", messages } });
  expect([answer.status, (await answer.text()).includes("Fine")]).toEqual([200, true]);
  expect((await core.store.turns.list())[0]).toMatchObject({ input: "Look.", attachments: [{ name: "cat.png" }] });
  const elsewhere = [{ role: "user", parts: [{ ...part, url: "https://example.org/cat.png" }] }];
  const refused = await ask(turns, { json: { id: "chat-1", messages: elsewhere } });
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: "bad-attachment" } }]);
});

test("what is too large, too many or of another kind is refused, and nothing is kept", async () => {
  await core.store.agents.put({
    name: "assistant",
    charter: "assistant",
    settings: { attachments: { maxBytes: 1000, maxCount: 1 } },
  });
  const refused = async (...input: object[]) => {
    const answer = await ask(turns, { json: { input } });
    return [answer.status, ((await answer.json()) as { error: { code: string } }).error.code];
  };
  const large = Buffer.from("x".repeat(1001)).toString("base64");
  expect(await refused({ file: large })).toEqual([413, "attachment-too-large"]);
  expect(await refused({ file }, { file })).toEqual([413, "too-many-attachments"]);
  expect(await refused({ file, mediaType: "text/html" })).toEqual([400, "bad-attachment"]);
  expect(await refused({ file: "no base64!" })).toEqual([400, "bad-request"]);
  expect(await refused({ path: "/etc/passwd" })).toEqual([400, "bad-request"]);
  expect(await core.store.turns.list()).toEqual([]);
});

test("only a turn may have a long body, and that has a limit of its own", async () => {
  const long = "x".repeat(2_000_000);
  const note = await ask("/api/agents/assistant/memory", { json: { text: long } });
  expect([note.status, ((await note.json()) as { error: { code: string } }).error.code]).toEqual([413, "too-large"]);
  const said = await ask(turns, { json: { input: [{ text: "Hi" }, { file: Buffer.from(long).toString("base64") }] } });
  // It was read, and has more tokens than the model takes.
  expect(((await said.json()) as { error: { code: string } }).error.code).toBe("request-too-long");
});
