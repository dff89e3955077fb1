import { afterAll, beforeAll, expect, test } from "vitest";
import { assembledOf, gatheredOf, promptOf } from "../../../studio/src/assembly/assembling.ts";
import { exactness } from "../../../studio/src/kit/words.ts";
import { loadTokenizer } from "../../src/delivery/tokenizer.ts";
import { createHost } from "../../src/host/create-host.ts";
import type { Host } from "../../src/host/host.ts";
import { allRoutes, createApi } from "../../src/server/app.ts";
import { createStore } from "../../src/store/index.ts";
import { createFolder, type Folder } from "../cli.ts";
import { newPlace, type Place } from "../homes.ts";
import type { Json } from "./served.ts";

/** One prompt is told in three places: each counts the same, and calls that by the same word. */

const at = "2026-02-18T12:00:00.000Z";
const models = { ada: "openai/gpt-5", eve: "anthropic/claude-sonnet-4-5", kim: "stand-in/one" };
let place: Place;
let folder: Folder;
let host: Host;
let get: (path: string) => Promise<Json>;

beforeAll(async () => {
  place = await newPlace("sqlite");
  folder = createFolder();
  const store = await createStore(place.open(), { now: () => new Date(at) });
  for (const [name, model] of Object.entries(models)) await store.agents.add({ name, charter: "assistant", model });
  host = createHost({ store, clock: () => new Date(at), env: {}, zone: "UTC" });
  const api = createApi({ host, operator: "olga", routes: allRoutes });
  const { secret } = await store.tokens.create({ name: "test", kind: "operator" });
  get = async (path) => {
    const answer = await api.fetch(
      new Request(`http://127.0.0.1/api${path}`, { headers: { authorization: `Bearer ${secret}` } }),
    );
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.json();
  };
});
afterAll(async () => {
  await host.close(0);
  await host.store.close();
  await place.remove();
  folder.remove();
});

test.each(Object.entries(models))("%s, whose model is %s", async (agent, model) => {
  const query = `user=bo&channel=web&at=${at}`;
  const { inputs, ...answered } = await get(`/agents/${agent}/prompt?parts=text,inputs&${query}`);
  const gathered = await gatheredOf(inputs, loadTokenizer);
  const page = assembledOf(gathered, promptOf(gathered, {}));
  // A command runs no turn: which tools there are in one it has to be told.
  const { tools } = await get(`/agents/${agent}/tools`);
  folder.write("facts.json", JSON.stringify({ now: at, tools: tools.map(({ name }: Json) => name) }));
  const asked = ["show", "--agent", agent, "--user", "bo", "--channel", "web", "--input", "facts.json"];
  const shown = folder.charter([...asked, "--database", place.url, "--json"]).json() as Json;
  const table = folder.charter([...asked, "--database", place.url, "--table"]).stdout;
  expect([page.text, shown.text]).toEqual([answered.text, answered.text]);
  const { total, exact } = answered.tokens;
  const word = exactness({ exact });
  expect([model, word]).toEqual([model, model === "openai/gpt-5" ? "exact" : "estimated"]);
  expect([page.tokens.total, exactness(page.tokens)]).toEqual([total, word]);
  expect([shown.tokens.total, exactness(shown.tokens)]).toEqual([total, word]);
  expect(table).toContain(`${total} tokens (${word}`);
  expect(page.sections.map(({ name, tokens }) => [name, tokens])).toEqual(
    answered.sections.map(({ name, tokens }: Json) => [name, tokens]),
  );
});
