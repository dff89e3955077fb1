import { nodes } from "../../nodes.ts";
import { some } from "../../tiers/search.ts";
import { type Case, testCases } from "./told-cases.ts";

/**
 * npm passes TERM and INT on, of everything else it dies itself; between npx and the command is a shell that passes nothing
 * on. What they started notices that they are gone.
 */
const all: readonly Case[] = nodes.flatMap((node): Case[] => [
  ...(["SIGTERM", "SIGINT", "SIGHUP"] as const).map((signal): Case => ["the launcher", node, signal, 0]),
  ...(["SIGTERM", "SIGINT"] as const).map((signal): Case => ["npm", node, signal, 0]),
  ...(["SIGHUP", "SIGQUIT", "SIGKILL"] as const).map((signal): Case => ["npm", node, signal, signal]),
  ...(["SIGTERM", "SIGHUP", "SIGKILL"] as const).map((signal): Case => ["npx", node, signal, signal]),
  ...(["SIGTERM", "SIGINT", "SIGHUP"] as const).map((signal): Case => ["process 1", node, signal, 0]),
  ...(node === "20" ? [["the launcher", node, "SIGKILL", "SIGKILL"] as const] : []),
]);

testCases(some(all));
