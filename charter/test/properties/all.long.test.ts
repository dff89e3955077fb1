import { readdirSync } from "node:fs";

/** Every property, tried some hundreds of times. */
const files = readdirSync(import.meta.dirname).filter((name) => /^[a-z-]+\.test\.ts$/.test(name));
for (const file of [...files, "../server/ui-stream.test.ts", "../scenarios/coder-pi.test.ts"])
  await import(`./${file}`);
