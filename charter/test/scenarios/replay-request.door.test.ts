import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { assistant } from "../../src/charters/index.ts";
import { kinds } from "../../src/testing/strict/speech.ts";
import { asksWindow, newLoopback } from "../agent/extensions/loopback-agent.ts";
import { charter } from "../cli.ts";
import { environmentAt, key } from "../delivery/loopback.ts";

test.each(kinds)("the command for a request to %s sends it again in a shell, to the byte", async (kind) => {
  const loopback = await newLoopback(kind);
  try {
    loopback.play({ text: ["Noted."] }, { text: ["Again."] });
    const input = `It's "$(date)" & \`id\` \\ 'quoted'; $HOME\nÄ second line.`;
    const { turn } = await loopback.agent({ charter: assistant() }).runTurn({ user: "bo", channel: "web", input });
    const { stdout: command } = charter(["replay", turn, "--curl", "--database", loopback.place.url]);
    const env = { ...process.env, ...environmentAt(loopback.recorder.url), GOOGLE_GENERATIVE_AI_API_KEY: key };
    await promisify(execFile)("sh", ["-c", command], { env });
    const posted = loopback.recorder.requests.filter((one) => !asksWindow(one));
    const [sent, again] = [posted[0], posted.at(-1)];
    expect([posted.length, again?.method, again?.path, again?.body]).toEqual([2, "POST", sent?.path, sent?.body]);
    for (const name of ["authorization", "x-api-key", "x-goog-api-key", "content-type", "anthropic-version"])
      expect([name, again?.headers[name]]).toEqual([name, sent?.headers[name]]);
  } finally {
    await loopback.close();
  }
});
