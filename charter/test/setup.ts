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
  server.ready.then(() => makeTemplate(server.url)).catch(() => {});
  project.provide("postgres", server.url);
  return async () => {
    // Nobody comes back to these databases: it need not put them away.
    await server.ready;
    await server.down("at once");
    server.stop();
    removeFolder();
  };
}

declare module "vitest" {
  export interface ProvidedContext {
    postgres: string;
  }
}
