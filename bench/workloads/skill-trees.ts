import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { markdown, type Random, rng, sentence, skillName } from "./rng.ts";

/** A folder of skills as people have them: bodies of 2 to 8 KB, some with notes and scripts of their own beside them. */
export function writeSkills(folder: string, count: number): void {
  const random = rng(5);
  for (let index = 0; index < count; index++) {
    const name = `${skillName(index)}-${index}`;
    const home = join(folder, name);
    mkdirSync(home, { recursive: true });
    const front = frontMatter(random, name, index);
    writeFileSync(join(home, "SKILL.md"), `---\n${front}---\n\n${markdown(random, 2048 + random.int(6144))}`);
    if (index % 5 === 0) {
      mkdirSync(join(home, "references"));
      writeFileSync(join(home, "references", "notes.md"), markdown(random, 1024));
      writeFileSync(join(home, "run.sh"), "#!/bin/sh\n");
    }
  }
}

/** Of ten, seven are two plain lines; the others quote, fold, or have more fields. */
function frontMatter(random: Random, name: string, index: number): string {
  const words = `${sentence(random)} Use it when the task mentions ${name.replaceAll("-", " ")}, or ${sentence(random)}`;
  const plain = words.replaceAll(/: | #/g, ", ");
  if (index % 10 === 1) return `name: ${name}\ndescription: "${plain.replaceAll('"', '\\"')}"\n`;
  if (index % 10 === 2) return `name: ${name}\ndescription: >-\n  ${plain}\n  ${sentence(random)}\n`;
  if (index % 10 === 3)
    return `name: ${name}\ndescription: ${plain}\nlicense: MIT\nallowed-tools: read bash\nmetadata:\n  author: someone\n  version: "1.2"\n`;
  return `name: ${name}\ndescription: ${plain}\n`;
}
