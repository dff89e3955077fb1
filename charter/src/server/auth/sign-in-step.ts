import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { Problem } from "../../prompt/problem.ts";
import type { ApiEnv } from "../api.ts";
import { readBody } from "../http/body.ts";
import { checkSameOrigin } from "./same-origin.ts";

const step = z.strictObject({ code: z.string().max(200), query: z.string().max(8_000) });

/** What a page that signs someone in has in its address: behind the `#`, and behind the `?`. */
export type AskedStep = z.output<typeof step>;

export async function askedStep(context: Context<ApiEnv>): Promise<AskedStep> {
  checkSameOrigin(context);
  try {
    return step.parse(JSON.parse(await readBody(context, 20_000)));
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem("bad-request", "The body is not understood.", "Open the page again, and start there.");
  }
}
