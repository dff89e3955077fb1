import { testCases } from "./told-cases.ts";

/** What the launcher alone does is looked at in told-again.door.test.ts; every other case in told-to-end.search.test.ts. */
testCases([
  ["npm", "20", "SIGTERM", 0],
  ["process 1", "20", "SIGTERM", 0],
]);
