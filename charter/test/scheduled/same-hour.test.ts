import { expect, onTestFinished, test } from "vitest";
import { createHost } from "../../src/host/create-host.ts";
import { allRoutes, createApi } from "../../src/server/app.ts";
import { createStore, sqlite } from "../../src/store/index.ts";
import { scripted } from "../agent/model.ts";
import { charter, createFolder } from "../cli.ts";

type Asked = { readonly cron: string } | { readonly at: string };

/** One database, and the doors by which a schedule comes into it on a machine with this zone. */
async function doorsOf(machine: string, set: { readonly CHARTER_ZONE?: string } = {}) {
  const folder = createFolder();
  onTestFinished(() => folder.remove());
  const store = await createStore(sqlite(`${folder.path}/charter.db`));
  onTestFinished(() => store.close());
  await store.agents.add({ name: "ada", charter: "assistant", model: "openai/gpt-5" });
  await store.users.put({ id: "kai", zone: "Asia/Kolkata" });
  const model = scripted([]);
  const zone = set.CHARTER_ZONE ?? machine;
  const host = createHost({ store, env: {}, zone, loadModel: async () => model });
  const app = createApi({ host, operator: "olga", routes: allRoutes });
  const { secret } = await store.tokens.create({ name: "one", kind: "operator" });
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  return {
    http: async (user: string | undefined, asked: Asked) => {
      const body = JSON.stringify({ ...asked, title: "Digest", input: "Mail?", ...(user && { user }) });
      const answer = await app.fetch(
        new Request("http://localhost/api/agents/ada/schedules", { method: "POST", headers, body }),
      );
      return ((await answer.json()) as { nextAt: string }).nextAt;
    },
    command: async (user: string | undefined, asked: Asked) => {
      const flags = Object.entries(asked).flatMap(([name, value]) => [`--${name}`, value]);
      const args = [
        "schedules",
        "add",
        "--agent",
        "ada",
        ...(user ? ["--user", user] : []),
        ...flags,
        "--json",
        "Mail?",
      ];
      const { stdout } = charter(args, {
        cwd: folder.path,
        env: { TZ: machine, CHARTER_DATABASE: "charter.db", ...set },
      });
      return (JSON.parse(stdout) as { nextAt: string }).nextAt;
    },
    tool: async (user: string | undefined, asked: Asked) => {
      const call = { tool: "set_reminder", input: { text: "Mail?", ...asked } };
      await host.callTool({ agent: "ada", user: user ?? null }, call);
      const all = await store.schedules.list({ agent: "ada", ...(user && { user }), limit: 100 });
      return all.find(({ title }) => title === "Mail?")?.nextAt;
    },
  };
}

const eight = { at: "2030-01-15T08:00" };
const each = async (doors: Awaited<ReturnType<typeof doorsOf>>, user: string | undefined, asked: Asked) =>
  [await doors.http(user, asked), await doors.command(user, asked)].map((at) => at.slice(11, 16));

test("who has no zone is woken at the same hour, whichever door the schedule came by", async () => {
  const newYork = await doorsOf("America/New_York");
  expect(await each(newYork, "bo", eight)).toEqual(["13:00", "13:00"]);
  expect(await each(newYork, undefined, eight)).toEqual(["13:00", "13:00"]);
  expect(await each(newYork, "kai", eight)).toEqual(["02:30", "02:30"]);
  const [http, command] = await each(newYork, "bo", { cron: "0 8 * * *" });
  expect([http, ["12:00", "13:00"].includes(command as string)]).toEqual([command, true]);
  expect((await newYork.tool("bo", eight))?.slice(11, 16)).toBe("13:00");
});

test("what the operator set goes before what the machine has", async () => {
  expect(await each(await doorsOf("America/New_York", { CHARTER_ZONE: "Europe/Rome" }), "bo", eight)).toEqual([
    "07:00",
    "07:00",
  ]);
  expect(await each(await doorsOf("UTC"), "bo", eight)).toEqual(["08:00", "08:00"]);
});
