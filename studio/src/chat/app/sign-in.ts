import { dropDrafts } from "../../kit/draft.ts";
import { keepHalf } from "../api/half.ts";
import { forgetAll } from "../api/read.ts";
import { ApiProblem, sendJson } from "../api/request.ts";
import { forgetTalks } from "../talk/talk.ts";

type SignedIn = { readonly half: string; readonly user: string; readonly agent: string };

/** Hands the code in. Nothing where it worked, or what to tell. */
export async function signIn(code: string): Promise<string | undefined> {
  try {
    const { half } = await sendJson<SignedIn>("/sign-in", { code });
    forgetAll();
    forgetTalks();
    keepHalf(half);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    if (error.status === 401) return "This link does not work any more: it was used, is too old, or is not complete.";
    if (error.status === 429) return "There were too many tries. Wait a minute, then open a new link.";
    return error.message;
  }
}

/** Ends this session, or all of this user's with this assistant. */
export async function signOut(everywhere: boolean): Promise<void> {
  await sendJson("/sign-out", everywhere ? { everywhere: true } : {});
  leave();
}

/** What was typed, read and said here is gone from this browser. */
export function leave(): void {
  keepHalf(null);
  forgetAll();
  forgetTalks();
  dropDrafts("chat");
  history.replaceState(null, "", location.pathname);
}
