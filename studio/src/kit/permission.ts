/** What an agent over ACP asks leave for is held as a call of this “tool”, with the kind of its own tool behind it. */
const prefix = "acp:";

export const isPermission = (tool: string): boolean => tool.startsWith(prefix);

/** What is asked, without who asks: “run: make”. `asks` is the server's word: “asks to run: make”. */
export const wishOf = (asks: string): string => asks.replace(/^asks to /, "");

/** Where only the tool's name is known: what it is, in words. */
export const heldName = (tool: string): string =>
  isPermission(tool) ? `use a tool of its own (${tool.slice(prefix.length)})` : tool;

/** What a yes comes to. */
export const allowedOnce = "allowed once, in the next turn, if the agent asks for the same again";

export type AskedPermission = { readonly paths: readonly string[]; readonly input: unknown };

/** Of what was held, what the tool would be given and which files it names. */
export function askedIn(input: unknown): AskedPermission {
  const asked = (typeof input === "object" && input !== null ? input : {}) as Readonly<Record<string, unknown>>;
  const paths = Array.isArray(asked.paths) ? asked.paths.filter((path) => typeof path === "string") : [];
  return { paths, input: asked.input ?? null };
}
