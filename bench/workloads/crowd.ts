import { Agent, request } from "node:http";

/** A server and the operator's secret; `gateway` is the one of a page that names its people in the header `x-user`. */
export type Asking = { readonly url: string; readonly secret: string; readonly gateway?: string };

type Shown = { readonly role: string; readonly content: string }[];

/**
 * A crowd of users, each asking again as soon as they are answered; every wait is noted, in milliseconds. After `stay`
 * turns someone leaves for good, and someone else takes their place. Over OpenAI's API, each shows their whole conversation.
 */
export function createCrowd(
  { url, secret, gateway }: Asking,
  users: number,
  { stay = Number.POSITIVE_INFINITY, overOpenai = false } = {},
) {
  const agent = new Agent({ keepAlive: true, maxSockets: users });
  const wrong: string[] = [];
  let last = "";
  const taken = Array.from({ length: users }, () => 0);
  const shown: Shown[] = taken.map(() => []);
  const nameOf = (place: number) => {
    const before = taken[place] as number;
    taken[place] = before + 1;
    return `u${place}-${Math.floor(before / stay)}`;
  };
  const ask = (user: number, number: number) => send(user, [`When is tea? (${number})`, nameOf(user)]);
  const send = (user: number, asked: readonly [input: string, name: string]) =>
    new Promise<void>((resolve) => {
      const [input, name] = asked;
      const messages = [...(shown[user] as Shown), { role: "user", content: input }];
      const body = JSON.stringify(overOpenai ? { model: "ada", messages } : { input, user: name, channel: "web" });
      const sent = request(
        `${url}${overOpenai ? "/v1/chat/completions" : "/api/agents/ada/turns"}`,
        {
          agent,
          method: "POST",
          headers: {
            ...(overOpenai ? { "x-user": `${name}-openai` } : {}),
            authorization: `Bearer ${overOpenai ? gateway : secret}`,
            "content-type": "application/json",
            "content-length": Buffer.byteLength(body),
          },
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (chunk) => {
            text += chunk;
          });
          response.on("end", () => {
            if (response.statusCode !== 200 && wrong.length < 5)
              wrong.push(`${response.statusCode}: ${text.slice(0, 300)}`);
            else if (overOpenai) shown[user] = [...messages, JSON.parse(text).choices[0].message];
            last = text;
            resolve();
          });
        },
      );
      sent.on("error", (error: NodeJS.ErrnoException) => {
        // The server closes connections that nobody uses for five seconds, and may do so just now.
        if (sent.reusedSocket && error.code === "ECONNRESET") return resolve(send(user, asked));
        if (wrong.length < 5) wrong.push(String(error));
        resolve();
      });
      sent.end(body);
    });
  return {
    wrong,
    lastAnswer: () => last,
    /** So many turns in all, by all of them at once. */
    take: async (turns: number): Promise<number[]> => {
      const waits: number[] = [];
      let next = 0;
      const one = async (user: number) => {
        while (next < turns) {
          const number = next++;
          const began = performance.now();
          await ask(user, number);
          waits.push(performance.now() - began);
        }
      };
      await Promise.all(Array.from({ length: users }, (_, user) => one(user)));
      return waits;
    },
    leave: () => agent.destroy(),
  };
}
