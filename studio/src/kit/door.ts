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

export type RequestOptions = {
  readonly method?: string;
  readonly body?: unknown;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

/** What the requests of one of the two pages have in common. */
type Door = {
  readonly base: string;
  /** Headers of one request, and what is done where nobody is signed in. */
  readonly enter: () => { readonly headers?: Readonly<Record<string, string>>; readonly signedOut: () => void };
};

/** Asks the server, always under `base`. */
export function createDoor({ base, enter }: Door) {
  const request = async (path: string, asking: RequestOptions = {}): Promise<Response> => {
    const { body, method = body === undefined ? "GET" : "POST", accept = "application/json", headers, signal } = asking;
    const json = body === undefined ? {} : { "content-type": "application/json" };
    const { headers: own, signedOut } = enter();
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: { accept, "x-charter-csrf": "1", ...own, ...json, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    }).catch((error: unknown) => {
      if (signal?.aborted) throw error;
      const hint = "Is it running, and are you connected?";
      throw new ApiProblem(0, { code: "unreachable", message: "The server cannot be reached.", hint });
    });
    if (answer.status === 401) signedOut();
    if (answer.ok) return answer;
    throw new ApiProblem(answer.status, await errorIn(answer));
  };
  const getJson = async <Answer>(path: string, signal?: AbortSignal): Promise<Answer> =>
    (await request(path, signal ? { signal } : {})).json() as Promise<Answer>;
  const sendJson = async <Answer>(path: string, body: unknown = {}, asking: RequestOptions = {}): Promise<Answer> =>
    (await request(path, { ...asking, body })).json() as Promise<Answer>;
  return { request, getJson, sendJson };
}

async function errorIn(answer: Response): Promise<ErrorBody["error"]> {
  try {
    return ((await answer.json()) as ErrorBody).error;
  } catch {
    return {
      code: "unreadable",
      message: `The server said ${answer.status}.`,
      hint: "Try again; the server’s log says more.",
    };
  }
}
