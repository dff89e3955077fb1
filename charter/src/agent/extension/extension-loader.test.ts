import { beforeEach, expect, test } from "vitest";
import type { Extensions } from "./extensions.ts";
import { createExtensionLoader, type ExtensionLoader } from "./extensions.ts";

/** What happened, in order; each load waits until it is let go. */
let happened: string[];
let waiting: { readonly go: () => void; readonly fail: (error: Error) => void }[];
let loading: ExtensionLoader;

beforeEach(() => {
  [happened, waiting] = [[], []];
  loading = createExtensionLoader((reason) => {
    const { promise, resolve, reject } = Promise.withResolvers<Extensions>();
    const name = `${reason} ${waiting.length + 1}`;
    happened.push(name);
    const loaded = { close: () => void happened.push(`close ${name}`) } as Extensions;
    waiting.push({ go: () => resolve(loaded), fail: reject });
    return promise;
  });
});

test("a reload that is asked for twice at once is done once, and the old ones are closed", async () => {
  const first = loading.ready();
  await expect.poll(() => waiting.length).toBe(1);
  waiting[0]?.go();
  await first;
  const both = Promise.all([loading.reload(), loading.reload()]);
  await expect.poll(() => waiting.length).toBe(2);
  const meanwhile = loading.ready();
  waiting[1]?.go();
  await both;
  expect(await meanwhile).toBe(loading.current());
  expect(happened).toEqual(["startup 1", "close startup 1", "reload 2"]);
});

test("what could not be loaded is tried again", async () => {
  const first = loading.ready();
  await expect.poll(() => waiting.length).toBe(1);
  waiting[0]?.fail(new Error("no such tool"));
  await expect(first).rejects.toThrow("no such tool");
  expect(loading.hasStarted()).toBe(false);
  const second = loading.ready();
  await expect.poll(() => waiting.length).toBe(2);
  waiting[1]?.go();
  expect(await second).toBe(loading.current());
});

test("what is loaded after it was closed is closed at once", async () => {
  const first = loading.ready();
  await expect.poll(() => waiting.length).toBe(1);
  loading.close();
  waiting[0]?.go();
  await first;
  expect(happened).toEqual(["startup 1", "close startup 1"]);
});
