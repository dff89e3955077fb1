import { checkLock } from "../prompt/lock.ts";
import { Problem } from "../prompt/problem.ts";
import { existsSync } from "./input.ts";
import { readLock } from "./load.ts";
import { projectCharters } from "./lock.ts";
import { noMoreWords, parseOptions } from "./options.ts";
import { sha256 } from "./sha256.ts";

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("verify", args, { lock: { type: "string" }, json: { type: "boolean" } });
  noMoreWords("verify", positionals);
  const path = values.lock ?? "charter.lock";
  if (!existsSync(path))
    throw new Problem("no-such-file", `There is no lock file at ${path}.`, "Write one with `charter lock`.");
  const lock = readLock(path);
  const charters = [...(await projectCharters(lock, [])).keys()];
  for (const charter of charters) checkLock(lock, charter, sha256);
  const fixed = Object.values(lock.charters).reduce((sum, sections) => sum + Object.keys(sections).length, 0);
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ verified: true, charters: charters.length, fixed })}\n`
      : `All ${fixed} fixed sections of ${charters.length} charters are as locked in ${path}.\n`,
  );
  return 0;
}
