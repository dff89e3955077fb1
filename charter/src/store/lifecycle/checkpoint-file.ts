import { Problem, reasonOf } from "../../prompt/problem.ts";
import { storeSchema } from "../home/schema.ts";
import { damagedCheckpoint, headerOf, notACheckpoint } from "./checkpoint-line.ts";

/** Longer than any first line we write: whatever goes on and on is something else. */
const longestHeader = 16_000_000;

/** Puts lines into a packed file, as fast as the disk takes them. It has its name only when it is whole and on the disk. */
export async function writeCheckpointLines(path: string, lines: AsyncIterable<string>): Promise<void> {
  const { createWriteStream, renameSync, rmSync } = process.getBuiltinModule("node:fs");
  const { createGzip } = process.getBuiltinModule("node:zlib");
  const { pipeline } = process.getBuiltinModule("node:stream/promises");
  const unfinished = `${path}.new`;
  try {
    await pipeline(inPieces(lines), createGzip(), createWriteStream(unfinished, { flush: true, mode: 0o600 }));
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw fileProblem(error, path, "written");
  }
}

async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = "";
  for await (const line of lines) {
    piece += line;
    if (piece.length < 65_536) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}

/** The lines of a packed file, each with its line end, however long the file is. */
export async function* readCheckpointLines(path: string): AsyncGenerator<Buffer> {
  const { createReadStream } = process.getBuiltinModule("node:fs");
  const { createGunzip } = process.getBuiltinModule("node:zlib");
  if (!isPacked(path)) throw notACheckpoint(path);
  const file = createReadStream(path);
  const unpacked = createGunzip();
  file.on("error", (error) => unpacked.destroy(error));
  let rest: Buffer[] = [];
  let first = true;
  let waiting = 0;
  try {
    for await (const chunk of file.pipe(unpacked) as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
        yield Buffer.concat([...rest, chunk.subarray(start, end + 1)]);
        rest = [];
        waiting = 0;
        first = false;
        start = end + 1;
      }
      if (start === chunk.length) continue;
      rest.push(chunk.subarray(start));
      waiting += chunk.length - start;
      if (first && waiting > longestHeader) throw notACheckpoint(path);
    }
    if (rest.length > 0) yield Buffer.concat(rest);
  } catch (error) {
    const code = (error as { code?: string }).code ?? "";
    throw /^Z_/.test(code)
      ? damagedCheckpoint(path, `it cannot be unpacked (${reasonOf(error)})`)
      : fileProblem(error, path, "read");
  } finally {
    file.destroy();
    unpacked.destroy();
  }
}

function isPacked(path: string): boolean {
  const { closeSync, openSync, readSync } = process.getBuiltinModule("node:fs");
  const opening = Buffer.alloc(2);
  try {
    const file = openSync(path, "r");
    try {
      readSync(file, opening);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw fileProblem(error, path, "read");
  }
  return opening[0] === 0x1f && opening[1] === 0x8b;
}

/** What is there may be replaced when it is a checkpoint, or nothing at all. */
export async function checkReplaceable(path: string): Promise<void> {
  const { existsSync, statSync } = process.getBuiltinModule("node:fs");
  if (!existsSync(path) || (statSync(path).isFile() && statSync(path).size === 0)) return;
  try {
    for await (const line of readCheckpointLines(path)) {
      headerOf(line.toString("utf8"), path, storeSchema);
      return;
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (["newer-checkpoint", "older-checkpoint"].includes(error.code) || error.code === "checkpoint-damaged") return;
  }
  throw new Problem(
    "file-exists",
    `${path} is there already, and is no checkpoint.`,
    "Name another file, or add --force to replace it.",
  );
}

function fileProblem(error: unknown, path: string, done: "read" | "written"): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof Problem || code === undefined || syscall === undefined) return error;
  if (code === "ENOENT" && done === "read")
    return new Problem("no-such-file", `There is no checkpoint at ${path}.`, "Check the path.");
  if (code === "ENOSPC" || code === "EDQUOT")
    return new Problem(
      "disk-full",
      `There is no room left on the disk for ${path}.`,
      "Make room, or name another place.",
    );
  const hint = "Check the path and its rights; nothing was changed.";
  return new Problem(done === "read" ? "unreadable" : "unwritable", `${path} could not be ${done}: ${code}.`, hint);
}
