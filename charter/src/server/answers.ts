/**
 * What the API answers, as types: what the studio knows of the server. No door of the package: they are inferred from the
 * schemas, and would bring the types of the server's packages to everyone who compiles against it.
 */
export type { ErrorBody } from "./http/error.ts";
export type * from "./schemas/answers.ts";
export type { UiChunk } from "./turns/ui-chunk.ts";
