import type { TestProject } from "vitest/node";
import { buildStudio } from "../../studio/build.ts";
import { makeTemplate } from "./homes.ts";
import { startPostgres } from "./postgres.ts";

/** One PostgreSQL for the whole run; it starts while the first tests already run, and whoever needs it waits. */
export default async function setup(project: TestProject) {
  await buildStudio();
  const server = await startPostgres();
  server.ready.then(() => makeTemplate(server.url)).catch(() => {});
  project.provide("postgres", server.url);
  return server.stop;
}

declare module "vitest" {
  export interface ProvidedContext {
    postgres: string;
  }
}
