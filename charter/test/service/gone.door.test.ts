import { copyFileSync, renameSync, unlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { eventually } from "../eventually.ts";
import { newScene } from "./started.ts";

const proposal = (content: string) => ({
  section: "instructions",
  operation: { kind: "append", content: `- ${content}` },
});

/** What a server says that has lost its database: to who writes, to who asks how it is, and in its log. */
test("a database that is moved, replaced or deleted under a running server: no write is acknowledged, and it says so", async () => {
  const scene = await newScene();
  try {
    const { database } = scene;
    await scene.store.close();
    const { bo, child, said, ended } = await scene.start();
    const kept: string[] = [];
    const write = async (words: string) => {
      const answer = await bo("POST /api/agents/ada/proposals", proposal(words));
      if (answer.status === 201) kept.push(words);
      return answer.status === 201 ? 201 : [answer.status, answer.body.error.code];
    };
    const ready = async () => {
      const { status, body } = await bo("GET /health/ready");
      return [status, body];
    };
    const lines = (kind: string) =>
      said()
        .split("\n")
        .filter((line) => line.includes(`"kind":"${kind}"`));
    const away = { ok: false, code: "store-gone", message: "The database was deleted or replaced under this server." };
    expect([await write("Before."), await ready()]).toEqual([201, [200, { ok: true }]]);

    const ways: [deed: () => void, undo: () => void][] = [
      [() => renameSync(database, `${database}.away`), () => renameSync(`${database}.away`, database)],
      [
        () => {
          copyFileSync(database, `${database}.copy`);
          renameSync(database, `${database}.old`);
          renameSync(`${database}.copy`, database);
        },
        () => renameSync(`${database}.old`, database),
      ],
      [() => unlinkSync(database), () => {}],
    ];
    for (const [times, [deed, undo]] of ways.entries()) {
      deed();
      expect([await write("Lost."), await ready()]).toEqual([
        [503, "store-gone"],
        [503, away],
      ]);
      await eventually(() => lines("store-gone").length === times + 1);
      undo();
      if (times === ways.length - 1) break;
      await eventually(() => lines("store-back").length === times + 1);
      expect([await write(`Back ${times}.`), await ready()]).toEqual([201, [200, { ok: true }]]);
    }
    expect(JSON.parse(lines("store-gone").at(-1) as string)).toMatchObject({
      code: "store-gone",
      message: `${database} was deleted or moved away while it was in use.`,
    });
    expect(kept).toEqual(["Before.", "Back 0.", "Back 1."]);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  } finally {
    await scene.close();
  }
});
