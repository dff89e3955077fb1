import type { FileAccess } from "../../agent/workspace/file-access.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";

/** What of the two a client offers. */
type OfferedFiles = { readonly readTextFile?: unknown; readonly writeTextFile?: unknown } | null | undefined;

type AskClient = {
  readonly read: (path: string) => Promise<{ readonly content?: unknown }>;
  readonly write: (path: string, content: string) => Promise<unknown>;
};

/**
 * Files by way of an editor that offers both, so that what is not saved yet is seen and kept. Where only one is offered the
 * disk is used: what is written there would not be what is read here.
 */
export function clientFiles(offered: OfferedFiles, { read, write }: AskClient): FileAccess | undefined {
  if (offered?.readTextFile !== true || offered.writeTextFile !== true) return undefined;
  return {
    read: async (path) => {
      try {
        const { content } = await read(path);
        return typeof content === "string" ? content : undefined;
      } catch {
        // It has no such file open, or keeps it from agents; what the disk says holds then.
        return undefined;
      }
    },
    write: async (path, text) => {
      try {
        await write(path, text);
      } catch (error) {
        throw new Problem(
          "unwritable",
          `The editor did not write “${path}”: ${reasonOf(error)}.`,
          "Look at the file in the editor.",
        );
      }
    },
  };
}
