import type { TestProject } from "vitest/node";
import { buildStudio } from "../../studio/build.ts";
import { makeTemplate } from "./homes.ts";
import { startPostgres } from "./postgres.ts";
import { takeTemporaryFolder } from "./temporary.ts";

/** One PostgreSQL for the whole run; it starts while the first tests already run, and whoever needs it waits. */
export default async function setup(project: TestProject) {
  const removeFolder = takeTemporaryFolder();
  await buildStudio();
  const server = await startPostgres();
  const stopping = new AbortController();
  const made = server.ready.then(() => makeTemplate(server.url, stopping.signal)).catch(() => {});
  project.provide("postgres", server.url);
  return async () => {
    stopping.abort();
    await server.stop();
    await made;
    removeFolder();
  };
}

declare module "vitest" {
  export interface ProvidedContext {
    postgres: string;
  }
}
