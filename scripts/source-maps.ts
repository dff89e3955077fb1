// Source maps by line: a stack trace names the line either way, and they take a fraction of the space.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { decode, encode } from "@jridgewell/sourcemap-codec";

const dist = resolve(import.meta.dirname, "../charter/dist");

for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
  if (!name.endsWith(".js.map")) continue;
  const file = join(dist, name);
  const map = JSON.parse(readFileSync(file, "utf8")) as { mappings: string };
  const lines = decode(map.mappings).map((segments) => segments.slice(0, 1));
  writeFileSync(file, JSON.stringify({ ...map, mappings: encode(lines) }));
}
