import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ExtensionStage, newExtensionStage } from "./extension-stage.ts";

let stage: ExtensionStage;
beforeEach(async () => {
  stage = await newExtensionStage();
});
afterEach(() => stage.close());

test("a file is loaded by a process that runs the source itself, without a word on stderr", () => {
  stage.write({
    "x.ts": `import { Type } from "@mariozechner/pi-ai"; import { Text } from "@mariozechner/pi-tui";
enum E { A }
class Mine extends Text {}
export default (pi) => pi.registerTool({ name: "t", description: "T.", parameters: Type.Object({}), execute: async () => ({ content: [] }) });`,
  });
  const source = pathToFileURL(`${import.meta.dirname}/../../../src/agent/extension/extensions.ts`).href;
  const script = `const { loadExtensions } = await import(${JSON.stringify(source)});
    const faults = [];
    const one = await loadExtensions({ paths: ["x.ts"], cwd: process.cwd(), builtIn: [], report: (fault) => faults.push(fault.code) }, "startup");
    console.log(JSON.stringify([one.loaded, faults]));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: stage.folder,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual([[{ path: "x.ts", tools: ["t"], events: [] }], ["beyond"]]);
});

describe("what an extension leaves running", () => {
  /** In a process of its own: the last thing to fail there is nobody's, and ends it. */
  const outlived = (body: string, end: string) => {
    stage.write({ "x.ts": body });
    const source = pathToFileURL(`${import.meta.dirname}/../../../src/agent/extension/extensions.ts`).href;
    const script = `const { loadExtensions } = await import(${JSON.stringify(source)});
      const { setTimeout: after } = await import("node:timers/promises");
      const faults = [];
      const report = ({ code, message }) => faults.push(code + ": " + message);
      const one = await loadExtensions({ paths: ["x.ts"], cwd: process.cwd(), builtIn: [], report }, "startup");
      const listening = one.hooks.find((hook) => hook.input);
      await listening?.input({ turn: "t", input: "Go." }, { notice: () => {}, failed: () => {} });
      await one.tools()[0]?.run({}, { turn: "t", call: "c", scope: {} });
      while (faults.length < ${body.match(/stray/g)?.length ?? 0}) await after(1);
      console.log(JSON.stringify(faults));
      one.close();
      ${end}
      await after(50);
      console.log("It goes on.");`;
    return spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: stage.folder, encoding: "utf8" });
  };
  // Node 22 forgets whose a microtask was.
  const microtask = Number(process.versions.node.split(".")[0]) >= 24 ? "queueMicrotask" : "setImmediate";
  const strays = `Promise.reject("stray one");
    setTimeout(() => { throw new Error("stray two."); });
    await null;
    new Promise((resolve) => { globalThis.again = resolve; }).then(() => { throw new Error("Too late."); });
    export default (pi) => {
      (async () => { await null; throw new Error("stray three"); })();
      pi.on("input", () => { Promise.reject(new Error("stray four")); ${microtask}(() => { throw 5 + " is a stray"; }); });
      pi.on("resources_discover", () => { setImmediate(() => Promise.reject({ stray: 6 })); });
      pi.registerTool({ name: "t", description: "T.", parameters: { type: "object" }, execute: async () => {
        let times = 0;
        const timer = setInterval(() => { if (++times === 3) clearInterval(timer); throw new Error("stray seven"); }, 1);
        return { content: [] };
      } });
    }`;

  test("is reported when it fails, once, and ends no process", () => {
    const { stdout, stderr, status } = outlived(strays, "");
    expect(stderr).toBe("");
    const [faults = "[]", last] = stdout.split("\n");
    expect(JSON.parse(faults).sort()).toEqual(
      ["#<Object>", "5 is a stray", "stray four", "stray one", "stray seven", "stray three", "stray two"].map(
        (words) => `stray: left something running that failed: ${words}.`,
      ),
    );
    expect([last, status]).toEqual(["It goes on.", 0]);
  });

  test("what fails elsewhere ends the process as it would without extensions", () => {
    for (const end of [`Promise.reject(new Error("Ours."));`, `setTimeout(() => { throw new Error("Ours."); });`]) {
      const { stdout, stderr, status } = outlived(strays, end);
      expect(stdout).not.toContain("It goes on.");
      expect(stderr).toContain("Error: Ours.");
      expect(status).toBe(1);
    }
  });

  test("what fails after it was closed is nobody's news, and ends no process", () => {
    const { stdout, stderr, status } = outlived(strays, "globalThis.again();");
    expect([stdout.split("\n")[1], stderr, status]).toEqual(["It goes on.", "", 0]);
  });
});
