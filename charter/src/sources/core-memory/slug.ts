const { createHmac } = process.getBuiltinModule("node:crypto");

/** Where the core memory of an agent is: the one slug that is no `mem/…`. */
export const coreSlug = "core";

const memorySlug = /^mem\/[a-z0-9][a-z0-9_-]{0,63}(?:\/[a-z0-9][a-z0-9_-]{0,63})*$/;

/** Is this a name a memory can have? `core`, or as in `mem/people/ada`. */
export function isSlug(given: unknown): given is string {
  return typeof given === "string" && (given === coreSlug || (given.length <= 255 && memorySlug.test(given)));
}

/** What a memory is kept under: only who holds the conversation key can tell which slug it stands for. */
export function dTag(conversationKey: Uint8Array, slug: string): string {
  return createHmac("sha256", conversationKey).update(`agent-memory/v1/d-tag\0${slug}`, "utf8").digest("hex");
}
