import { afterEach, beforeEach, expect, test } from "vitest";
import { type ExtensionStage, newExtensionStage } from "./extension-stage.ts";
import { scripted, spoken } from "./model.ts";

/** Extensions that were closed while others, or they themselves, still went on. */

let stage: ExtensionStage;
beforeEach(async () => {
  stage = await newExtensionStage();
});
afterEach(() => stage.close());

/** What the extension of a test tells it, and waits for. */
const met = { asked: () => {}, release: new Promise<void>(() => {}), times: 0 };
Object.assign(globalThis, { [Symbol.for("charter-test-met")]: met });
const listening = `export default (pi) => pi.on("before_agent_start", async () => {
  const met = globalThis[Symbol.for("charter-test-met")];
  met.times++;
  met.asked();
  await met.release;
  return { message: { customType: "x", content: "Old.", display: true } };
})`;

test("one that was closed before a turn is not asked at all", async () => {
  stage.write({ "old.ts": listening });
  const extensions = await stage.load(["old.ts"]);
  const model = scripted();
  const agent = await stage.with(extensions, model);
  met.times = 0;
  extensions.close();
  await agent.runTurn({ input: "A." });
  expect([met.times, model.requests.map((request) => spoken(request)[0])]).toEqual([0, ["user: A."]]);
});

test("one that was closed while it thought is not heard", async () => {
  stage.write({ "old.ts": listening });
  const extensions = await stage.load(["old.ts"]);
  const model = scripted();
  const agent = await stage.with(extensions, model);
  const [asked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  Object.assign(met, { asked: asked.resolve, release: release.promise });
  const running = agent.runTurn({ input: "A." });
  await asked.promise;
  extensions.close();
  release.resolve();
  await running;
  expect(model.requests.map((request) => spoken(request)[0])).toEqual(["user: A."]);
});

test("what one sent that could not be loaded is not said", async () => {
  stage.write({
    "bad.ts": `export default (pi) => {
      pi.sendMessage({ customType: "x", content: "Bad.", display: true });
      throw new Error("no");
    }`,
    "good.ts": `export default (pi) => pi.sendMessage({ customType: "x", content: "Good.", display: true })`,
  });
  const model = scripted();
  const agent = await stage.with(await stage.load(["bad.ts", "good.ts"]), model);
  await agent.runTurn({ input: "A." });
  expect(model.requests.map((request) => spoken(request)[0])).toEqual(["user: A.\n\nGood."]);
});
