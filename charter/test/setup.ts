import type { TestProject } from "vitest/node";
import { startPostgres } from "./postgres.ts";

/** One PostgreSQL for the whole run; it starts while the first tests already run, and whoever needs it waits. */
export default async function setup(project: TestProject) {
  const server = await startPostgres();
  project.provide("postgres", server.url);
  return server.stop;
}

declare module "vitest" {
  export interface ProvidedContext {
    postgres: string;
  }
}
