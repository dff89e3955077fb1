const own = { "x-charter-csrf": "1" };

/** Asks the server; whoever is not signed in is sent to where they can. */
export async function ask(path, body, method = body === undefined ? "GET" : "POST", accept = "application/json") {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const answer = await fetch(path, { method, headers: { accept, ...own, ...type }, ...json }).catch(() => {
    throw new Error("The server cannot be reached. Is it running?");
  });
  if (answer.status === 401) {
    location.replace("/sign-in");
    throw new Error("You are not signed in.");
  }
  if (answer.ok) return answer;
  const { error } = await answer
    .json()
    .catch(() => ({ error: { message: `The server said ${answer.status}.`, hint: "" } }));
  const reasons = (error.refusals ?? []).map(({ guard, because }) => `${guard}: ${because}`);
  throw new Error([error.message, ...reasons, error.hint].filter(Boolean).join(" "));
}

export const read = async (path) => (await ask(path)).json();
export const write = async (path, body = {}) => (await ask(path, body)).json();

/** What the server says one by one, as it comes. */
export async function* events(path, body) {
  const answer = await ask(path, body, undefined, "text/event-stream");
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const all = (rest + value).split("\n\n");
      rest = all.pop();
      for (const event of all) {
        // By its line feeds alone: what else ends a line in a pattern may stand in anyone's words.
        const data = event.split("\n").find((line) => line.startsWith("data: {"));
        if (data) yield JSON.parse(data.slice(6));
      }
    }
  } finally {
    // Whoever stops listening is not sent more.
    reader.cancel().catch(() => {});
  }
}
