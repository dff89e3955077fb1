import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { runStranger } from "../packed.ts";
import { ownBlocks, root, writeBlocks } from "./page.ts";

/** Somebody who has the packages and docs/adopting.md, and nothing else of this repository. */

const { exports: doors } = JSON.parse(readFileSync(join(root, "charter/package.json"), "utf8"));
const doorNames = Object.keys(doors).map((door) => `charter${door.slice(1)}`);

const doorsProgram = `${doorNames.map((name, index) => `import * as door${index} from "${name}";`).join("\n")}
const doors = [${doorNames.map((_, index) => `door${index}`).join(", ")}];
console.log(doors.filter((door) => Object.keys(door).length > 0).length);
`;

/** A tool whose input is described with zod, called by a model and told of to it. */
const toolProgram = `import { createAgent, defineTool } from "charter/agent";
import { assistant } from "charter/charters";
import { callsTools, memoryStore, scriptedModel } from "charter/testing";
SCHEMAS
const weather = defineTool({
  name: "weather",
  summary: "Look up the weather",
  input,
  trusted: true,
  reads: true,
  run: ({ city, days }) => {
    const told: [city: string, days: number | undefined] = [city, days];
    // @ts-expect-error: what a tool is given is what its schema says.
    const wrong: number = city;
    return told.join(" ") + typeof wrong;
  },
});
const model = scriptedModel([callsTools(["weather", { city: "Rome", days: 2 }]), "Done."]);
const store = await memoryStore();
const agent = createAgent({ name: "ada", charter: assistant(), model, store, tools: [weather] });
const { reply } = await agent.runTurn({ input: "Do I need an umbrella?", user: "mia" });
const [asked, then] = model.requests;
const offer = asked?.tools.find(({ name }) => name === "weather")?.input;
const { properties, required } = offer as { properties: { city: { type: string } }; required: string[] };
const result = then?.messages.flatMap((message) => (message.role === "tool" ? message.results : []))[0];
console.log(reply, properties.city.type, required.join(), result?.output);
await store.close();
`;

/** The same input, in each library's words. */
const schemas = {
  zod: `import { z } from "zod";
const input = z.object({ city: z.string(), days: z.number().optional() });`,
  valibot: `import * as v from "valibot";
const input = v.object({ city: v.string(), days: v.optional(v.number()) });`,
  arktype: `import { type } from "arktype";
const input = type({ city: "string", "days?": "number" });`,
} as const;

export type SchemaLibrary = keyof typeof schemas;

/** Everything a row of the matrix compiles and runs, by file, and what each prints. */
export function writePrograms(folder: string, libraries: readonly SchemaLibrary[]): Readonly<Record<string, string>> {
  writeBlocks(folder);
  writeFileSync(join(folder, "doors.ts"), doorsProgram);
  for (const library of libraries)
    writeFileSync(join(folder, `tool-${library}.ts`), toolProgram.replace("SCHEMAS", schemas[library]));
  return {
    ...Object.fromEntries(ownBlocks.map(({ file, prints = "" }) => [file, prints])),
    "doors.ts": `${doorNames.length}\n`,
    ...Object.fromEntries(libraries.map((one) => [`tool-${one}.ts`, "Done. string city Rome 2string\n"])),
  };
}

const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"];
const options = [...strict, "--noEmit", "--allowImportingTsExtensions", "--target", "es2022", "--types", "node"];

type TypesOptions = {
  /** Every declaration these files lead to is checked too. */
  readonly whole?: boolean;
  readonly module?: readonly string[];
};

/** The project's own TypeScript finds nothing in these files. */
export async function expectTypes(folder: string, files: readonly string[], how: TypesOptions = {}): Promise<void> {
  const { whole = true, module = ["--module", "nodenext"] } = how;
  const tsc = join(folder, "node_modules/typescript/bin/tsc");
  const words = [tsc, ...options, ...module, "--skipLibCheck", String(!whole), ...files];
  const { code, output } = await runStranger(process.execPath, words, folder);
  expect({ code, output }).toEqual({ code: 0, output: "" });
}
