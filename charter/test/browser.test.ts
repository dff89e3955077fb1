import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "./chromium.ts";

/**
 * What runs in both places: the body of a function that gets the module as `charter` and returns a plain value.
 * Text, not a function, so that neither place compiles it differently.
 */
export const program = "return Object.keys(charter).sort();";

const entry = fileURLToPath(new URL("../src/index.ts", import.meta.url));
const found = await findChromium();
if (typeof found === "string") console.warn(`The browser test is skipped: ${found}.`);

describe("the library in a browser", () => {
  let bundle = "";
  let browser: Browser | undefined;

  beforeAll(async () => {
    bundle = await bundleLibrary();
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
  });

  test("the bundle asks for nothing, least of all for Node", () => {
    expect(importsOf(bundle)).toEqual([]);
    expect(bundle).not.toMatch(/["'`]node:|externalized for browser compatibility/);
  });

  test.skipIf(typeof found === "string")(
    "a browser and Node come to the same result",
    async () => {
      if (typeof found === "string") return;
      browser = await chromium.launch({
        executablePath: found.path,
        args: [...found.args],
        env: { ...process.env, ...found.env },
      });
      const page = await browser.newPage();
      const inBrowser = await page.evaluate(pageScript(bundle, program));
      expect(inBrowser).toEqual(await runInNode(program));
    },
    60_000,
  );
});

async function bundleLibrary(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "error",
    resolve: { conditions: ["charter-source", "module", "browser", "production"] },
    build: {
      write: false,
      minify: false,
      target: "es2022",
      lib: { entry, formats: ["es"], fileName: "charter" },
      rolldownOptions: { external: [/^node:/], output: { codeSplitting: false } },
    },
  });
  const [result] = Array.isArray(built) ? built : [built];
  if (!result || !("output" in result)) throw new Error("vite built nothing");
  return result.output[0].code;
}

/** The modules a bundle still wants from outside, static and dynamic. */
function importsOf(code: string): string[] {
  const pattern =
    /^\s*(?:import|export)\b[^"'`;]*?\bfrom\s*["']([^"']+)["']|^\s*import\s*["']([^"']+)["']|\bimport\(\s*["'`]([^"'`]+)["'`]/gm;
  return [...code.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

/** Imports the bundle from a blob, as a page would from a server, and hands the module to the program. */
function pageScript(code: string, body: string): string {
  return `(async () => {
    const url = URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: "text/javascript" }));
    const charter = await import(url);
    return (new Function("charter", ${JSON.stringify(body)}))(charter);
  })()`;
}

async function runInNode(body: string): Promise<unknown> {
  const charter = await import("../src/index.ts");
  return new Function("charter", body)(charter);
}
