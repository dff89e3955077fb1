import { afterEach, expect, test } from "vitest";
import { spoken } from "../agent/model.ts";
import { eventually } from "../eventually.ts";
import { newService, type ServiceStage } from "./stage.ts";

let stage: ServiceStage;
afterEach(() => stage.close());

test("with one conversation over channels, the web knows what a schedule sent to Telegram", async () => {
  stage = await newService();
  const { store, telegram, model, time } = stage;
  await store.agents.update("ada", async ({ charter, settings }) => ({
    charter,
    settings: { ...settings, sessions: { across: true } },
  }));
  const bo = await stage.as({ kind: "user", user: "bo" });
  await stage.link("bo", 77);
  model.say("Hello.");
  await bo("POST /agents/ada/turns", { input: "Good morning." });
  await bo("POST /agents/ada/schedules", { title: "Digest", input: "Write it.", at: "2026-02-18T15:05:00Z" });
  const sent = telegram.textsTo(77).length;
  model.say("1. Tea with Cy. 2. The bill is due.");
  time.now = new Date("2026-02-18T15:05:00Z");
  await telegram.until(() => telegram.textsTo(77).length > sent);
  await eventually(async () => (await store.dispatches.list({ agent: "ada", user: "bo" }))[0]?.state === "sent");
  time.now = new Date("2026-02-18T15:06:00Z");
  model.say("It is the gas bill.");
  const { body } = await bo("POST /agents/ada/turns", { input: "Tell me more about the second one." });
  expect(body.reply).toBe("It is the gas bill.");
  const heard = spoken(model.requests.at(-1) as never).join("\n");
  expect(heard).toContain("Good morning.");
  expect(heard).toMatch(
    /Digest[\s\S]*1\. Tea with Cy\. 2\. The bill is due\.[\s\S]*Tell me more about the second one\./,
  );
});
