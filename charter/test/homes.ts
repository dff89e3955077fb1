import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { inject } from "vitest";
import { type Home, postgres, sqlite } from "../src/store/index.ts";

/** A place for a store: an empty database that is gone afterwards. */
export type Place = { readonly url: string; readonly open: () => Home; readonly remove: () => Promise<void> };
export type PlaceName = "sqlite" | "postgres";

/** Every home a store can live in: what holds for one has to hold for all. */
export const homes: readonly PlaceName[] = ["sqlite", "postgres"];

export function newPlace(name: PlaceName): Promise<Place> {
  return name === "sqlite" ? newFile() : newPostgres(inject("postgres"));
}

export async function newFile(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), "charter-store-"));
  const url = join(folder, "charter.db");
  return { url, open: () => sqlite(url), remove: async () => rmSync(folder, { recursive: true, force: true }) };
}

let count = 0;

export async function newPostgres(server: string): Promise<Place> {
  const name = `test_${process.pid}_${++count}`;
  await onServer(server, `create database ${name}`);
  const url = server.replace(/\/postgres$/, `/${name}`);
  const remove = () => onServer(server, `drop database if exists ${name} with (force)`);
  return { url, open: () => postgres(url), remove };
}

/** Runs words as the server's owner; a server that is still starting is waited for. */
async function onServer(server: string, words: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const client = new pg.Client({ connectionString: server });
    try {
      await client.connect();
      await client.query(words);
      return;
    } catch (error) {
      const code = (error as { code?: string }).code;
      if (!["ECONNREFUSED", "57P03", "ECONNRESET"].includes(code ?? "") || tries > 300) throw error;
      await sleep(100);
    } finally {
      await client.end().catch(() => {});
    }
  }
}
