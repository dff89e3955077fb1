import { Agent, request } from "node:http";

export type Asking = { readonly url: string; readonly secret: string };

/**
 * A crowd of users, each asking again as soon as they are answered; every wait is noted, in milliseconds. After `stay`
 * turns someone leaves for good, and someone else takes their place.
 */
export function createCrowd({ url, secret }: Asking, users: number, stay = Number.POSITIVE_INFINITY) {
  const agent = new Agent({ keepAlive: true, maxSockets: users });
  const wrong: string[] = [];
  let last = "";
  const taken = Array.from({ length: users }, () => 0);
  const nameOf = (place: number) => {
    const before = taken[place] as number;
    taken[place] = before + 1;
    return `u${place}-${Math.floor(before / stay)}`;
  };
  const ask = (user: number, number: number) =>
    new Promise<void>((resolve) => {
      const body = JSON.stringify({ input: `When is tea? (${number})`, user: nameOf(user), channel: "web" });
      const sent = request(
        `${url}/api/agents/ada/turns`,
        {
          agent,
          method: "POST",
          headers: {
            authorization: `Bearer ${secret}`,
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
            last = text;
            resolve();
          });
        },
      );
      sent.on("error", (error) => {
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
