import type { ErrorBody } from "charter/answers";

/** What the server said no with: everything in its answer, so that a page can show both texts, every refusal, a hint. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly error: ErrorBody["error"];

  constructor(status: number, error: ErrorBody["error"]) {
    super(error.message);
    this.status = status;
    this.error = error;
  }
}

const own = { "x-charter-csrf": "1" };

export type RequestOptions = {
  readonly method?: string;
  readonly body?: unknown;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

/** Asks the server under /api. Whoever is not signed in is sent to where they can, and comes back here afterwards. */
export async function request(path: string, asking: RequestOptions = {}): Promise<Response> {
  const { body, method = body === undefined ? "GET" : "POST", accept = "application/json", headers, signal } = asking;
  const json = body === undefined ? {} : { "content-type": "application/json" };
  const answer = await fetch(`/api${path}`, {
    method,
    headers: { accept, ...own, ...json, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiProblem(0, { code: "unreachable", message: "The server cannot be reached.", hint: "Is it running?" });
  });
  // A worker has no page to send anywhere.
  if (answer.status === 401 && "document" in globalThis) redirectToSignIn();
  if (answer.ok) return answer;
  throw new ApiProblem(answer.status, await errorIn(answer));
}

async function errorIn(answer: Response): Promise<ErrorBody["error"]> {
  try {
    return ((await answer.json()) as ErrorBody).error;
  } catch {
    return { code: "unreadable", message: `The server said ${answer.status}.`, hint: "Its log says more." };
  }
}

/** The sign-in page sends back to what is kept here. */
export const afterSignIn = "charter-after-sign-in";

function redirectToSignIn(): void {
  sessionStorage.setItem(afterSignIn, location.pathname + location.search);
  location.replace("/sign-in");
}

export async function getJson<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  return (await request(path, signal ? { signal } : {})).json() as Promise<Answer>;
}

export async function sendJson<Answer>(path: string, body: unknown = {}, asking: RequestOptions = {}): Promise<Answer> {
  return (await request(path, { ...asking, body })).json() as Promise<Answer>;
}

/** An address with what is asked of it; what is undefined or "" is left out. Names are encoded by the caller: `name`. */
export function withQuery(path: string, query: Readonly<Record<string, string | number | undefined>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given as [string, string][])}`;
}

/** A name as it stands in an address. */
export const encodeName = encodeURIComponent;

/** Whose copy of a section is meant. */
export type Whose = { readonly agent: string; readonly user: string | undefined };

export function sectionPath({ agent, user }: Whose, section: string): string {
  return withQuery(`/agents/${encodeName(agent)}/sections/${encodeName(section)}`, { user });
}
