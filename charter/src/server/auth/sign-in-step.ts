import type { Context } from "hono";
import { Problem } from "../../prompt/problem.ts";
import type { ApiEnv } from "../api.ts";
import { readBody } from "../http/body.ts";
import { checkSameOrigin } from "./same-origin.ts";

/** What a page that signs someone in has in its address: behind the `#`, and behind the `?`. */
export type AskedStep = { readonly code: string; readonly query: string };

export async function askedStep(context: Context<ApiEnv>): Promise<AskedStep> {
  checkSameOrigin(context);
  try {
    const { code, query, ...others } = JSON.parse(await readBody(context, 20_000));
    if (isShort(code, 200) && isShort(query, 8_000) && Object.keys(others).length === 0) return { code, query };
  } catch (error) {
    if (error instanceof Problem) throw error;
  }
  throw new Problem("bad-request", "The body is not understood.", "Open the page again, and start there.");
}

function isShort(value: unknown, most: number): boolean {
  return typeof value === "string" && value.length <= most;
}
