import { memoryOptions } from "../../shared/memory-options.ts";
import type { parseOptions } from "../../shared/options.ts";
import { pageOptions } from "../../shared/page.ts";
import { storeOptions } from "../../shared/store.ts";

/** What `charter agents` understands, whatever it is to do. */
export const agentsOptions = {
  ...storeOptions,
  ...pageOptions,
  all: { type: "boolean" },
  charter: { type: "string", short: "c" },
  model: { type: "string" },
  settings: { type: "string" },
  "second-opinion": { type: "string" },
  replace: { type: "boolean" },
  label: { type: "string" },
  output: { type: "string", short: "o" },
  erase: { type: "boolean" },
  yes: { type: "boolean" },
  ...memoryOptions,
} as const;

export type AgentsValues = ReturnType<typeof parseOptions<typeof agentsOptions>>["values"];
