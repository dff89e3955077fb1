import { afterAll, expect, test } from "vitest";
import { confirmWindow, createLearnedWindows, learnWindow, resolveWindow } from "../../src/agent/turn/window.ts";
import { loadModel } from "../../src/delivery/models/provider.ts";
import { createStore } from "../../src/store/index.ts";
import { newFile, type Place } from "../homes.ts";
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

async function newPlace(): Promise<Place> {
  const place = await newFile();
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

test.each(contextProviders)("%s: what it refuses teaches the window to the next process", async (provider) => {
  const place = await newPlace();
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

test.each(telling)("%s: what it tells is asked once, and known to the next process", async (provider) => {
  const place = await newPlace();
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
