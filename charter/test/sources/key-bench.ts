import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect } from "vitest";
import { Problem } from "../../src/index.ts";
import { type KeyConfig, type KeyPlaces, readKey } from "../../src/sources/core-memory/key-source.ts";
import { loadNostr } from "../../src/sources/core-memory/memory-key.ts";

export const hex = "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa";
export const nsec = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5";
export const noKey =
  "bad-key: What was read for the key “ada” is no secret key of Nostr. Give an nsec, or 64 hex digits, and nothing else.";

const nostr = await loadNostr();

/** A folder for key files that is gone afterwards, and a reader that proves that no problem tells a key. */
export function newKeyBench() {
  const folder = mkdtempSync(join(tmpdir(), "charter-keys-"));
  const places: KeyPlaces = { nostr, folder, env: { PATH: process.env.PATH } };
  return {
    folder,
    places,
    keyFile: (name: string, text: string, mode = 0o600): KeyConfig => {
      writeFileSync(join(folder, name), text);
      chmodSync(join(folder, name), mode);
      return { file: name };
    },
    /** The key as hex, or the problem in words. */
    read: async (config: KeyConfig | undefined, more: Partial<KeyPlaces> = {}): Promise<string> => {
      try {
        return Buffer.from(await readKey("ada", config, { ...places, ...more })).toString("hex");
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        const told = `${error.code}: ${error.message} ${error.hint}`.replaceAll(folder, "…");
        expect(`${inspect(error, { depth: 9 })} ${JSON.stringify(error)} ${told}`).not.toMatch(/nsec1v|67dea2ed/i);
        return told;
      }
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
