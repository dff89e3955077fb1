// The stemmers go with the package as it is built: of theirs, which is 3.6 MB with its maps and second forms, we need
// 190 kB. Their licence goes with them.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const file = resolve(import.meta.dirname, "../charter/dist/store/memory/stems.js");
const folder = join(dirname(file), "stemmers");
mkdirSync(folder, { recursive: true });

const required = createRequire(import.meta.resolve("../charter/package.json"));
const licence = join(dirname(required.resolve("@orama/stemmers/english")), "../LICENSE.md");
copyFileSync(licence, join(folder, "LICENSE.md"));

const words = readFileSync(file, "utf8").replace(/"@orama\/stemmers\/(\w+)"/g, (name, language: string) => {
  copyFileSync(fileURLToPath(import.meta.resolve(JSON.parse(name))), join(folder, `${language}.js`));
  return `"./stemmers/${language}.js"`;
});
writeFileSync(file, words);
