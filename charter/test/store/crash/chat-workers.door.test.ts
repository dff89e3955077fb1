import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { createStore } from "../../../src/store/index.ts";
import { bothHomes, newPlace } from "../../homes.ts";
import { agent, answers, channel, sorry } from "./chat-worker.ts";

const program = new URL("./chat-worker.ts", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "charter-chats-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a worker; `hear` may kill it. Gives how it ended. */
function start(args: readonly string[], hear: (line: string, kill: () => void, go: () => void) => void) {
  const child = spawn(process.execPath, ["--conditions=charter-source", program, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  child.stdin.on("error", () => {});
  const [kill, go] = [() => child.kill("SIGKILL"), () => child.stdin.end("go\n")];
  createInterface({ input: child.stdout }).on("line", (line) => hear(line, kill, go));
  return new Promise<{ killed: boolean; complaint: string }>((resolve) =>
    child.on("close", (_, signal) => resolve({ killed: signal === "SIGKILL", complaint })),
  );
}

for (const name of bothHomes) {
  test(`workers on ${name} that are killed and started again answer each update once, and send in order`, async () => {
    const place = await newPlace(name);
    const store = await createStore(place.open());
    const sent = join(folder, `sent-${name}`);
    writeFileSync(sent, "");
    try {
      await store.agents.put({ name: agent, charter: "test" });
      const chats = ["a", "b", "c", "d"];
      const ids = Array.from({ length: 12 }, (_, index) => `${index + 1}`);
      for (const [index, id] of ids.entries()) {
        const address = chats[index % chats.length] as string;
        await store.updates.put({ scope: { agent, user: `user of ${address}` }, channel, id, address, body: "Hello?" });
      }
      // Each is killed after its second line, and after the fifth of its next life; the last is its own.
      const lives = async () => {
        let killed = 0;
        for (const after of [2, 5, Number.POSITIVE_INFINITY]) {
          let lines = 0;
          const end = await start([place.url, "serve", sent], (_, kill) => {
            if (++lines === after) kill();
          });
          expect(end.complaint).toBe("");
          if (end.killed) killed++;
        }
        return killed;
      };
      const killed = await Promise.all([lives(), lives()]);
      expect(killed.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);

      const pieces = await store.dispatches.list({ agent, limit: 1000 });
      const bodies = new Set(pieces.map(({ body }) => body));
      const expected = (id: string) => (bodies.has(sorry(id)) ? [sorry(id)] : answers(id));
      expect(pieces.map(({ body }) => body).sort()).toEqual(ids.flatMap(expected).sort());
      expect(pieces.every(({ state }) => state === "sent")).toBe(true);
      const lines = readFileSync(sent, "utf8").trimEnd().split("\n");
      const log = lines.map((line) => JSON.parse(line) as [string, string]);
      for (const [index, chat] of chats.entries()) {
        const there = [...new Set(log.filter(([address]) => address === chat).map(([, body]) => body))];
        expect(there).toEqual(ids.filter((_, at) => at % chats.length === index).flatMap(expected));
      }
    } finally {
      await store.close();
      await place.remove();
    }
  });

  test(`of processes on ${name} that send the same codes at once, one is linked by each`, async () => {
    const place = await newPlace(name);
    const store = await createStore(place.open());
    try {
      await store.agents.put({ name: agent, charter: "test" });
      const codes: string[] = [];
      for (let index = 0; index < 15; index++)
        codes.push((await store.links.createCode({ agent, user: `user-${index}` }, channel)).code);
      const linked: string[] = [];
      const begin: (() => void)[] = [];
      const ends = ["x", "y"].map((worker) =>
        start([place.url, "redeem", worker, JSON.stringify(codes)], (line, _, go) => {
          if (line !== "ready") linked.push(line.split(" ")[1] as string);
          else if (begin.push(go) === 2) for (const one of begin) one();
        }),
      );
      for (const end of await Promise.all(ends)) expect(end).toEqual({ killed: false, complaint: "" });
      expect(linked.sort()).toEqual(codes.sort());
      for (let index = 0; index < codes.length; index++)
        expect((await store.links.of({ agent, user: `user-${index}` })).length).toBe(1);
    } finally {
      await store.close();
      await place.remove();
    }
  });
}
