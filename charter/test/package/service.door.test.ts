import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { registryAbsence, runStranger, serviceProject } from "../packed.ts";
import { config, expectApi, expectStudio, start } from "./service.ts";

/** The service's package beside the library's: the one command that brings everything `charter start` needs. */

const absent = await registryAbsence();

test("charter and charter-service, installed: charter start prints its link, and the page is the studio", async ({
  skip,
}) => {
  if (absent) return skip(absent);
  const folder = await serviceProject();
  const link = await start(folder);
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in#charter_/);
  await expectStudio(link);
  await expectApi(link, folder);
});

test("a configuration may import zod where its folder has none; what else it lacks is named", async ({ skip }) => {
  if (absent) return skip(absent);
  const folder = await serviceProject();
  const elsewhere = join(folder, "..", `${folder.split("/").at(-1)}-elsewhere`);
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "charter.config.ts"), config);
  // As npm init writes it.
  writeFileSync(join(elsewhere, "package.json"), '{ "type": "commonjs" }');
  writeFileSync(join(elsewhere, "wrong.ts"), `import "left-pad"; export default {};`);
  const command = join(folder, "node_modules/charter/bin/charter.js");
  const run = (...args: string[]) => runStranger(process.execPath, [command, ...args], elsewhere);
  expect(await run("start", "--settings", "wrong.ts")).toMatchObject({
    code: 2,
    output:
      "package-missing: The configuration file at wrong.ts needs the package “left-pad”, which is not installed.\n" +
      "  Run npm install left-pad in the folder of that file.\n",
  });
  // The configuration is read and right; then the port is not.
  expect(await run("start", "--settings", "charter.config.ts", "--port", "-1")).toMatchObject({
    code: 2,
    output: expect.stringContaining("“-1” is no port"),
  });
  expect(existsSync(join(elsewhere, "node_modules"))).toBe(false);
});
