import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { bareEnvironment, command, createFolder } from "../cli.ts";

test("several that start at the same moment each find a port of their own", async () => {
  const folders = [createFolder(), createFolder(), createFolder()];
  const children = folders.map(({ path }) =>
    spawn(process.execPath, [command, "start", "--json"], {
      cwd: path,
      env: bareEnvironment(),
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  try {
    const lines = await Promise.all(children.map(({ stdout }) => once(createInterface({ input: stdout }), "line")));
    const urls = lines.map(([line]) => (JSON.parse(line as string) as { url: string }).url);
    expect(new Set(urls).size).toBe(3);
  } finally {
    for (const child of children) {
      const ended = child.exitCode === null ? once(child, "exit") : undefined;
      child.kill("SIGTERM");
      await ended;
    }
    for (const { remove } of folders) remove();
  }
});
