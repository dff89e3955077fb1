import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Model } from "../../charter/src/delivery/model.ts";
import { standIn } from "../../charter/src/delivery/stand-in.ts";
import { startRecorder } from "../../charter/src/testing/strict/recorder.ts";
import { type Kind, speak } from "../../charter/src/testing/strict/speech.ts";
import { key, modelAt, modelNames } from "../../charter/test/delivery/loopback.ts";
import { hostile, hostileTools, markup } from "./stage/hostile.ts";
import { inBrowser, onStage } from "./stage/on-stage.ts";
import { goTo } from "./stage/places.ts";

const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const question = `What is at plums.example? ${hostile}\n${"A line of many. ".repeat(700)}`;

/** Every piece of text in a body, as the protocol has it; its bookkeeping (ids, kinds, roles, settings) left out. */
function textsIn(body: string): string[] {
  const { tools, system, instructions, messages, input } = JSON.parse(body);
  const settings = new Set([
    "type",
    "role",
    "id",
    "call_id",
    "tool_use_id",
    "tool_call_id",
    "$schema",
    "cache_control",
    "prompt_cache_breakpoint",
  ]);
  const leaves = (value: unknown): string[] => {
    if (typeof value === "string") return [value];
    if (Array.isArray(value)) return value.flatMap(leaves);
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).flatMap(([name, one]) => (settings.has(name) ? [] : [...leaves(one)]));
  };
  const all = [tools, system, instructions, messages, input].flatMap(leaves);
  return all.filter((text) => !text.includes(picture) && !text.startsWith("image/"));
}

/** Laid out, line ends may have become elements; the rest stands as it is, or as JSON writes it. */
const bare = (text: string) => text.replaceAll(/\s+/g, "");
const isOn = (page: string, text: string) =>
  page.includes(bare(text)) || page.includes(bare(JSON.stringify(text).slice(1, -1))) || isJsonOn(page, text);

function isJsonOn(page: string, text: string): boolean {
  try {
    return page.includes(bare(JSON.stringify(JSON.parse(text))));
  } catch {
    return false;
  }
}

const variables: Readonly<Record<string, string>> = { anthropic: "$ANTHROPIC_API_KEY", openai: "$OPENAI_API_KEY" };

const kinds = ["anthropic", "openai"] as const;

inBrowser("the whole request, on the page of its turn", () => {
  const recorders = new Map<Kind, Awaited<ReturnType<typeof startRecorder>>>();
  const models = new Map<string, Model>();
  beforeAll(async () => {
    for (const kind of kinds) {
      const script = [
        speak(kind, {
          calls: [{ id: "call_1", name: "read_page", input: `{"url": "https://plums.example/${"p".repeat(40)}"}` }],
        }),
        speak(kind, { text: ["Plums."], usage: { input: 900, read: 780, written: 0, output: 4 } }),
      ];
      const recorder = await startRecorder({ answer: (_, index) => ({ body: script[index] ?? script[1] ?? [] }) });
      recorders.set(kind, recorder);
      models.set(modelNames[kind], await modelAt(recorder.url, modelNames[kind]));
    }
  });
  afterAll(async () => {
    for (const recorder of recorders.values()) await recorder.close();
  });
  const { stage, window } = onStage({
    lived: false,
    model: (name) => models.get(name) ?? standIn(),
    tools: hostileTools.map((tool) => ({ ...tool, run: () => `${hostile}\nPlums are ripe.` })),
    prepare: async ({ store, house }) => {
      const file = { mediaType: "image/png", name: `${markup.slice(0, 60)}.png` } as const;
      const input = [{ text: question }, { file: Buffer.from(picture, "base64"), ...file }];
      for (const kind of kinds) {
        await store.agents.add({ name: kind, charter: "assistant", model: modelNames[kind], settings: {} });
        await house.runTurn({ agent: kind, user: "bo", channel: "web", input });
      }
      await store.agents.add({ name: "ada", charter: "assistant", settings: {} });
      await house.runTurn({ agent: "ada", user: "bo", channel: "web", input: "Hello there." });
    },
  });

  describe.each(kinds)("a request to %s", (kind) => {
    const main = () => window.page.getByRole("main");
    const sent = (index: number) => recorders.get(kind)?.requests[index]?.body;
    const turn = async () => (await stage.store.turns.list({ agent: kind, limit: 10 })).at(-1)?.id ?? "";
    const at = async (query: string) => goTo(window.page, `/agents/${kind}/turns/${await turn()}${query}`);
    const asked = () => new URL(window.page.url()).searchParams;
    const request = () => main().getByRole("region", { name: /^The whole request/ });

    test("all that was said in it can be found in the document, and what came with it stands beside the input", async () => {
      await at("?step=2");
      const text = window.page.getByRole("region", { name: /^The text/ });
      await text.waitFor();
      const find = request().getByRole("searchbox", { name: "Find in the prompt" });
      for (const words of ["What is at plums.example?", "calls read_page", "Plums are ripe."]) {
        await find.fill(words);
        await text.getByText(words).first().waitFor();
      }
      await main().getByText("1 × 1 pixels").waitFor();
    });

    test("all of its text stands in Raw, once it is opened", async () => {
      await at("?step=2&view=raw");
      const texts = textsIn(sent(1) ?? "");
      expect(texts.length).toBeGreaterThan(20);
      const raw = request().getByRole("region", { name: "Raw request" });
      const shown = async () => bare((await raw.textContent()) ?? "");
      await raw.waitFor();
      const folded = await shown();
      expect(texts.some((text) => !isOn(folded, text))).toBe(true);
      await raw.getByRole("button", { name: /^Show all/ }).click();
      await expect.poll(() => asked().get("open")).toBe("raw");
      const page = await shown();
      expect(texts.filter((text) => !isOn(page, text))).toEqual([]);
    });

    test("raw is the body that went out, to the byte; curl sends it again with the key as a variable", async () => {
      await at("?step=1&view=raw&open=raw");
      const raw = request().getByRole("region", { name: "Raw request" });
      await raw.getByText(/^Byte for byte what was sent/).waitFor();
      const arriving = window.page.waitForEvent("download");
      await raw.getByRole("button", { name: "Download" }).click();
      const kept = join(stage.folder, "raw.json");
      await (await arriving).saveAs(kept);
      expect(readFileSync(kept, "utf8")).toBe(sent(0));
      await expect.poll(async () => bare((await raw.textContent()) ?? "")).toContain(bare(sent(0) ?? "-"));
      await request().getByRole("button", { name: "curl", exact: true }).click();
      await expect.poll(() => asked().get("view")).toBe("curl");
      const command = request().getByRole("region", { name: "Request as curl" });
      const text = async () => (await command.textContent()) ?? "";
      await expect.poll(text).toContain(variables[kind]);
      await expect.poll(text).not.toContain(key);
      await command.getByRole("button", { name: "Copy" }).waitFor();
    });

    test("hostile words stay text, and nothing went wrong", async () => {
      await at("?step=2");
      await main().getByText("Plums are ripe.").first().waitFor();
      await window.page.getByRole("region", { name: /^The text/ }).waitFor();
      await expect.poll(() => window.page.evaluate(() => "hacked" in globalThis)).toBe(false);
      await expect.poll(() => request().locator("script, iframe, a[href^=javascript]").count()).toBe(0);
      expect(window.wrong).toEqual([]);
    });
  });

  test("a model that is not reached over the network says so instead of a command", async () => {
    const [turn] = await stage.store.turns.list({ agent: "ada", limit: 1 });
    await goTo(window.page, `/agents/ada/turns/${turn?.id}?step=1&view=curl`);
    await window.page.getByText(/There is no command for this request/).waitFor();
    await window.page.getByRole("button", { name: "Raw", exact: true }).click();
    await window.page.getByText(/this is the request as it was handed over/).waitFor();
  });

  test("a step that was deleted with old receipts says so, and that its user was not erased", async () => {
    await stage.store.retain({ receipts: 0 });
    await window.page.reload();
    await window.page.getByText(/What this step sent was deleted: receipts are kept only for a time/).waitFor();
    await expect.poll(() => window.page.getByText("This turn was erased.").count()).toBe(0);
  });
});
