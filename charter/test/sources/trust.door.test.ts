import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { projectTrust, trustedProjects, trustProject } from "../../src/sources/trust/trust.ts";
import { createPlace } from "./place.ts";

const at = "2026-03-07T14:55:05.000Z";

function newPlaces() {
  const place = createPlace();
  onTestFinished(() => place.remove());
  const home = place.at("home/agent");
  const places = (cwd: string) => ({ cwd, home, config: ".charter", userHome: place.at("home") });
  return { place, home, places };
}

test("projects that are trusted at once in several processes are all remembered", async () => {
  const { place, home, places } = newPlaces();
  const roots = [1, 2, 3, 4].map((number) => place.folder(`p${number}`));
  const door = join(import.meta.dirname, "../../src/sources/trust/trust.ts");
  await Promise.all(
    roots.map((root) => {
      const code = `import { trustProject } from ${JSON.stringify(door)};
for (let time = 0; time < 20; time++) trustProject(${JSON.stringify(places(root))}, ${JSON.stringify(at)});`;
      return promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code]);
    }),
  );
  expect(trustedProjects(home).map(({ root }) => root)).toEqual(roots);
  expect(readdirSync(join(home, "trust"))).toHaveLength(4);
});

test("a pipe among extensions is not read: whoever did would wait for ever", () => {
  const { place, places } = newPlaces();
  place.pipe("app/.charter/extensions/pipe.ts");
  const asked = places(place.at("app"));
  trustProject(asked, at);
  expect(projectTrust(asked).trust).toBe("trusted");
});
