import { afterAll, describe, expect, test } from "vitest";
import { createLearnedWindows } from "../../src/agent/turn/window/learned-windows.ts";
import { confirmWindow, learnWindow, resolveWindow } from "../../src/agent/turn/window/window.ts";
import { loadModel } from "../../src/delivery/models/provider.ts";
import { createStore } from "../../src/store/index.ts";
import { charterMeanwhile } from "../cli.ts";
import { homes, newPlace, type Place, type PlaceName } from "../homes.ts";
import { type ContextProvider, contextProviders } from "./context-refusal.ts";
import { type ContextServer, type ContextServerOptions, startContextServer } from "./context-servers.ts";
import { ask, hello } from "./loopback.ts";

/** What one process learns of a server's window, the next one knows. */

const { signal } = new AbortController();
const ends: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

async function serve(options: ContextServerOptions): Promise<ContextServer> {
  const server = await startContextServer(options);
  ends.push(server.close);
  return server;
}

async function placeOn(home: PlaceName): Promise<Place> {
  const place = await newPlace(home);
  ends.push(place.remove);
  return place;
}

/** What a turn of another process works with. */
async function newProcess(place: Place, server: ContextServer) {
  const store = await createStore(place.open());
  const model = await loadModel(server.model, { env: server.env });
  const clock = () => new Date();
  return { store, model, windows: createLearnedWindows(store, clock), asked: {}, clock };
}

const sized = (tokens: number) => ({ ...hello, messages: [{ role: "user" as const, text: "word".repeat(tokens) }] });

const telling: readonly ContextProvider[] = ["ollama", "vllm", "llama.cpp", "old-llama.cpp", "lm-studio", "openrouter"];
const wordless: readonly ContextProvider[] = ["openai", "old-llama.cpp"];

describe.each(homes)("on %s", (home) => {
  test.each(contextProviders)("%s: what it refuses teaches the window to the next process", async (provider) => {
    const place = await placeOn(home);
    const server = await serve({ provider, window: 3000, silent: true });
    const first = await newProcess(place, server);
    expect(await resolveWindow(first, signal)).toEqual({ window: null, how: "unknown" });
    const { fault } = await ask(first.model, sized(4000));
    const learned = fault && (await learnWindow(first, fault, 4000));
    const isGuess = wordless.includes(provider);
    expect(learned).toEqual(isGuess ? { window: 3600, how: "guessed" } : { window: 3000, how: "said" });
    await first.store.close();
    const second = await newProcess(place, server);
    expect(await resolveWindow(second, signal)).toEqual(learned);
    // A guess that is still too much goes down, and an answer leaves it.
    if (isGuess) {
      const again = await ask(second.model, sized(3500));
      expect(again.fault && (await learnWindow(second, again.fault, 3500))).toEqual({ window: 3150, how: "guessed" });
    }
    const { answer } = await ask(second.model, sized(2900));
    await confirmWindow(second, answer?.usage.input ?? null);
    expect(await resolveWindow(second, signal)).toEqual(isGuess ? { window: 3150, how: "guessed" } : learned);
    await second.store.close();
  });
});

test.each(telling)("%s: what it tells is asked once, and known to the next process", async (provider) => {
  const place = await placeOn("sqlite");
  const server = await serve({ provider, window: 3000 });
  const first = await newProcess(place, server);
  expect(await resolveWindow(first, signal)).toEqual({ window: 3000, how: "asked" });
  await first.store.close();
  const questions = server.requests.length;
  const second = await newProcess(place, server);
  expect(await resolveWindow(second, signal)).toEqual({ window: 3000, how: "asked" });
  await second.store.close();
  expect([questions > 0, server.requests.length, server.asked]).toEqual([true, questions, []]);
});

test("a chat asks the server, doctor says what holds and why, and --window replaces it", async () => {
  const place = await placeOn("sqlite");
  const server = await serve({ provider: "vllm", window: 50_000 });
  const { PATH = "", HOME = "" } = process.env;
  const run = (...args: string[]) =>
    charterMeanwhile([...args, "--database", place.url], { cwd: "/", env: { ...server.env, PATH, HOME } });
  const doctorSays = async () => {
    const { stdout } = await run("doctor");
    return stdout.split("\n").filter((line) => line.includes(server.model));
  };
  expect((await run("agents", "add", "ada", "--charter", "assistant", "--model", server.model)).code).toBe(0);
  expect(await doctorSays()).toEqual([
    `fine  “ada”: how many tokens ${server.model} takes is not known yet; the first request that is too long teaches it.`,
  ]);
  const said = await run("chat", "--agent", "ada", "--user", "bo", "Hello.");
  expect([said.code, said.stdout]).toEqual([0, "All right.\n"]);
  expect(await doctorSays()).toEqual([
    `fine  “ada”: requests to ${server.model} have at most 50,000 tokens, as its server told.`,
  ]);
  const small = await run("chat", "--agent", "ada", "--user", "cy", "--window", "1000", "Hello. ".repeat(1000));
  expect([small.code, small.stderr]).toEqual([1, expect.stringMatching(/request-too-long: .* takes 1,000\./)]);
  expect(server.asked.length).toBe(1);
  const bad = await run("chat", "--agent", "ada", "--user", "cy", "--window", "80", "Hello.");
  expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining("bad-window: 80 is no window.")]);
});
