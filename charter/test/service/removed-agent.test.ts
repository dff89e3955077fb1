import { afterEach, describe, expect, test } from "vitest";
import { eventually } from "../eventually.ts";
import { newService, type ServiceStage } from "./stage.ts";

let stage: ServiceStage;
afterEach(() => stage.close());

describe("an agent removed while the server runs", () => {
  test("its bot, schedules and turns stop without a word of trouble; the others go on", async () => {
    stage = await newService();
    const { store, telegram, log, model, time } = stage;
    await store.agents.add({ name: "eve", charter: "assistant" });
    const operator = await stage.as({ kind: "operator" });
    await stage.link("bo", 77);
    model.say("Here.");
    expect(await stage.tell(77, "Are you there?")).toBe("Here.");
    for (const agent of ["ada", "eve"])
      await operator(`POST /agents/${agent}/schedules`, {
        user: "bo",
        title: "Tea",
        input: "Tea?",
        cron: "0 16 * * *",
      });
    const before = log.length;
    expect((await operator("DELETE /agents/ada")).status).toBe(200);
    await eventually(() => log.some((entry) => (entry as { kind?: string }).kind === "agent-removed"));
    telegram.says(77, "Still there?");
    model.say("Tea it is.");
    time.now = new Date("2026-02-18T16:00:00Z");
    await eventually(async () => (await store.runs.list({ agent: "eve", user: "bo" }))[0]?.state === "answered");
    expect((await operator("POST /agents/ada/turns", { user: "bo", input: "Hi." })).body.error.code).toBe(
      "agent-removed",
    );
    model.say("Hello.");
    expect((await operator("POST /agents/eve/turns", { user: "bo", input: "Hi." })).body).toMatchObject({
      state: "answered",
      reply: "Hello.",
    });
    expect(await store.runs.list({ agent: "ada", user: "bo" })).toEqual([]);
    expect([telegram.pending(), telegram.textsTo(77).at(-1)]).toEqual([1, "Here."]);
    const told = log.slice(before).map((entry) => entry as { about?: string; kind?: string });
    expect(told.filter(({ about }) => about === "telegram")).toEqual([
      { about: "telegram", kind: "agent-removed", agent: "ada" },
    ]);
    expect(told.filter(({ kind }) => kind === "trouble")).toEqual([]);
  });
});
