import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { coderFromFacts } from "../../src/charters/coder/coder.ts";
import { factsOf } from "../../src/charters/facts.ts";
import { createCoderSnapshot } from "../../src/host/coder-snapshot.ts";
import { previewPrompt } from "../../src/host/preview.ts";
import type { AgentSnapshot } from "../../src/host/snapshot.ts";
import { trustProject } from "../../src/sources/trust/trust.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "charter-look-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const [directory, userHome] = [join(root, "project"), join(root, "user")];
const places = { cwd: directory, home: join(userHome, ".charter", "agent"), config: ".charter", userHome };
function write(name: string, content: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), content);
}
write("project/AGENTS.md", "Test first.");
write("project/.charter/APPEND_SYSTEM.md", "Appended by the project.");
write("project/.charter/extensions/loud.ts", "globalThis.extensionWasRun = true; export default () => {};");
write("project/.charter/skills/dance/SKILL.md", "---\nname: dance\ndescription: How to dance.\n---\nStep.");
write("user/.charter/agent/AGENTS.md", "For every project.");
write("secret/AGENTS.md", "The secret of another directory.");
symlinkSync(join(root, "secret"), join(directory, "shortcut"));

const look = createCoderSnapshot({ directory, userHome });

async function shown(settings: Record<string, unknown> = {}) {
  const clock = () => new Date("2026-02-18T12:00:00Z");
  const facts = factsOf({ ...settings, agent: "dev", zone: "UTC" });
  const agent = { name: "dev", charter: "coder", settings } as unknown as AgentSnapshot["agent"];
  const given = { agent, scope: { agent: "dev" }, declaredTurn: coderFromFacts(facts, clock), messages: 0 };
  const { declaredTurn } = await look(given);
  const { text, notices } = await previewPrompt(declaredTurn, {});
  return { text, codes: notices.map(({ code }) => code) };
}

test("a project nobody trusts brings its context files and nothing else; the user's own files are read", async () => {
  const { text, codes } = await shown();
  expect(text).toContain("Test first.");
  expect(text).toContain("For every project.");
  expect(text).toContain("- read: Read file contents");
  expect(text).toContain(`Current date and time: Wednesday, February 18, 2026`);
  expect(text).not.toContain("Appended by the project.");
  expect(text).not.toContain("dance");
  expect(codes).toEqual(["untrusted"]);
});

test("one that is trusted brings all but its extensions, which are not run for a look", async () => {
  trustProject(places, "2026-02-18T12:00:00Z");
  const { text, codes } = await shown();
  expect(text).toContain("Appended by the project.");
  expect(text).toContain("How to dance.");
  expect(codes).toEqual(["extensions-not-run"]);
  expect(globalThis).not.toHaveProperty("extensionWasRun");
});

test("an extension that changed since makes it one that nobody trusts", async () => {
  write("project/.charter/extensions/loud.ts", "export default () => {};");
  const { text, codes } = await shown();
  expect(text).not.toContain("Appended by the project.");
  expect(codes).toEqual(["untrusted"]);
});

test("what changes in a file is in the next look", async () => {
  write("project/AGENTS.md", "Test last.");
  expect((await shown()).text).toContain("Test last.");
});

test("a link out of the directory is not followed", async () => {
  const { text, codes } = await shown({ cwd: "shortcut" });
  expect(text).not.toContain("secret of another");
  expect(codes).toEqual(Array(4).fill("source-unavailable"));
});

test("nor is a file that is a link out of a project nobody trusts; what is above the directory is read as the agent would", async () => {
  write("AGENTS.md", "The words of a directory above.");
  mkdirSync(join(directory, "inner", ".git"), { recursive: true });
  symlinkSync(join(root, "secret/AGENTS.md"), join(directory, "inner/AGENTS.md"));
  const { text, codes } = await shown({ cwd: "inner" });
  expect(text).not.toContain("secret of another");
  expect(text).toContain("of a directory above");
  expect(codes).toContain("leads-out");
});
