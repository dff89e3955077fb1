import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("only the package of the provider that is used is loaded, and none before that", async () => {
  const provider = resolve(import.meta.dirname, "../../src/delivery/models/provider.ts");
  const script = `
    import { registerHooks } from "node:module";
    const loaded = new Set();
    registerHooks({ resolve(specifier, context, next) {
      if (specifier.startsWith("@ai-sdk/") && !context.parentURL.includes("node_modules")) loaded.add(specifier);
      return next(specifier, context);
    } });
    const { loadModel, defaultModelName } = await import(${JSON.stringify(provider)});
    defaultModelName({});
    await loadModel("stand-in", { env: {} });
    const before = [...loaded];
    await loadModel("google/gemini-3.8-flash", { env: { GEMINI_API_KEY: "k" } });
    console.log(JSON.stringify([before, [...loaded]]));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  expect(JSON.parse(stdout)).toEqual([[], ["@ai-sdk/google"]]);
});
