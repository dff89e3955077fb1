import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Every property, tried some hundreds of times. */
const here = import.meta.dirname;
const files = readdirSync(here).filter((name) => /^[a-z-]+\.test\.ts$/.test(name));
for (const file of [...files, "../server/chat/ui-stream.test.ts", "../scenarios/coder/coder-pi.test.ts"])
  await import(join(here, file));
