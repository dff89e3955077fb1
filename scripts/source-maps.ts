// Source maps by line, at the end of the file they are of. A stack trace names the line either way, and a small file of
// its own takes a whole block of a disk.

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { decode, encode } from "@jridgewell/sourcemap-codec";

const dist = resolve(import.meta.dirname, "../charter/dist");
const reference = /\n\/\/# sourceMappingURL=[^\n]*\s*$/;

for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
  if (!name.endsWith(".js.map")) continue;
  const file = join(dist, name);
  const map = JSON.parse(readFileSync(file, "utf8")) as { mappings: string };
  const lines = decode(map.mappings).map((segments) => segments.slice(0, 1));
  const inline = Buffer.from(JSON.stringify({ ...map, mappings: encode(lines) })).toString("base64");
  const code = file.slice(0, -".map".length);
  const words = readFileSync(code, "utf8").replace(reference, "");
  writeFileSync(code, `${words}\n//# sourceMappingURL=data:application/json;base64,${inline}\n`);
  rmSync(file);
}
