import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** What a process without the package makes of a schema of valibot, by the lines it prints. */
async function withoutConverter(program: string, { cwd }: { readonly cwd: string }): Promise<string[]> {
  const source = (path: string) => JSON.stringify(resolve(import.meta.dirname, "../../src", path));
  await writeFile(
    program,
    `import { registerHooks } from "node:module";
    registerHooks({ resolve(specifier, context, next) {
      if (specifier.startsWith("@valibot/") && context.parentURL.endsWith("/import-package.js")) throw new Error("not installed");
      return next(specifier, context);
    } });
    const { offersOf } = await import(${source("agent/toolset.ts")});
    const v = await import(${JSON.stringify(import.meta.resolve("valibot"))});
    await offersOf([{ name: "look", input: v.object({}), run: () => "" }]).then(
      ([{ input }]) => console.log(JSON.stringify(input)),
      ({ code, message, hint }) => console.log([code, message, hint].join("\\n")),
    );`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [program], { cwd });
  return stdout.trim().split("\n");
}

test("valibot's package for JSON Schema is found beside the program, never in the folder it was started in", async () => {
  const folder = await mkdtemp(join(tmpdir(), "charter-"));
  const [own, other] = [join(folder, "own"), join(folder, "other")];
  const place = join(other, "node_modules/@valibot/to-json-schema");
  await Promise.all([mkdir(own), mkdir(place, { recursive: true })]);
  await writeFile(
    join(place, "index.js"),
    'console.log("loaded"); exports.toJsonSchema = () => ({ type: "object", title: "other" });',
  );
  expect(await withoutConverter(join(own, "program.mjs"), { cwd: other })).toEqual([
    "bad-tool",
    "The tool “look” cannot be offered to a model: Its schema is valibot's, and @valibot/to-json-schema is not installed.",
    "Run `npm install @valibot/to-json-schema`, or give the tool a `schema`: the JSON Schema of its input.",
  ]);
  expect(await withoutConverter(join(other, "program.mjs"), { cwd: own })).toEqual([
    "loaded",
    '{"type":"object","title":"other"}',
  ]);
  await rm(folder, { recursive: true });
});
