import type { Page } from "playwright-core";
import { createSchedule } from "../../../charter/src/schedules/schedule.ts";
import { calls } from "../../../charter/test/agent/model.ts";
import { drawn } from "../stage/places.ts";
import { arrive, say, type UserStage } from "./stage.ts";

/** Something on every page: conversations, instructions with a history, notes, a reminder, something that waits. */
export async function live(stage: UserStage, page: Page, user = "bo"): Promise<void> {
  const scope = { agent: "ada", user };
  const { store, model } = stage;
  await store.users.setZone({ id: user, zone: "Europe/Rome" });
  for (const text of [
    "My sister is called Ida. Her birthday is on 4 May.",
    "The bicycle is red, and its lock has the number on the key ring.",
    "I do not eat fish.",
  ])
    await store.memory.save(scope, { text });
  const asked = { scope, title: "Water the plants", input: "Remind me to water the plants.", cron: "0 8 * * 1-5" };
  await createSchedule(asked, store, new Date());
  await arrive(page, await stage.link(user));
  model.say(
    "Three things:\n\n1. **Pack** the charger, light shoes and a hat.\n2. Take the train at `9:12`; it has a dining car.\n3. Tell Ida when you arrive.\n\nShall I remind you the evening before?",
  );
  await say(page, "What do I need for the trip to Rome on Friday?");
  model.say(calls(["update_instructions", { instructions: "Answer in short sentences." }]), "Done.");
  await say(page, "Please answer in short sentences from now on.");
  model.say(
    calls(["inbox", {}]),
    calls(["send_mail", { to: "club@example.org", body: "I shall be there." }]),
    "I wrote an answer. It is sent when you say yes.",
  );
  await say(page, "Answer the club’s letter for me.");
}

/** Every view, by the name its picture has. */
export const views = [
  ["talk", "#/"],
  ["new", "#/with/new"],
  ["instructions", "#/instructions"],
  ["notes", "#/notes"],
  ["reminders", "#/reminders"],
  ["waiting", "#/waiting"],
  ["telegram", "#/telegram"],
  ["account", "#/account"],
] as const;

/** Goes to a view and waits until it shows what it has to show. */
export async function see(page: Page, address: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
  await page.locator("main h1").first().waitFor({ state: "attached" });
  const reading = page.locator("main [role=status]", { hasText: "Loading…" });
  while ((await reading.count()) > 0) await reading.first().waitFor({ state: "detached" });
  await drawn(page);
}
