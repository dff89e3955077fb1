import type { TestProject } from "vitest/node";
import { buildStudio } from "../../../studio/build.ts";
import { makeTemplate } from "../homes.ts";
import { startPostgres } from "../postgres.ts";
import { takeTemporaryFolder } from "../temporary.ts";
import { shareBrowser } from "./shared-browser.ts";

/** One PostgreSQL and one Chromium for the whole run. What is not to be had is said before the first test. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const removeFolder = takeTemporaryFolder();
  const [postgres, browser] = await Promise.all([startPostgres(), shareBrowser(), buildStudio()]);
  await postgres.ready;
  await makeTemplate(postgres.url);
  project.provide("postgres", postgres.url);
  return async () => {
    await browser.close();
    await postgres.stop();
    removeFolder();
  };
}

declare module "vitest" {
  export interface ProvidedContext {
    postgres: string;
  }
}
