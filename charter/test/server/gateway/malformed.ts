import { expect } from "vitest";
import { randomFrom, seed } from "../../tiers/search.ts";
import { type Json, newServed } from "../served.ts";

/** A whole request, with everything that is read somewhere. No agent has its model's name: what is sound is not found. */
const whole = {
  model: "nobody",
  messages: [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "a" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c", content: "b" },
    { role: "assistant", content: "c" },
    {
      role: "user",
      content: [{ type: "file", file: { filename: "a.txt", file_data: "data:text/plain;base64,AAAA" } }],
    },
  ],
  stream: true,
  stream_options: { include_usage: true },
  tools: [
    { type: "function", function: { name: "f", description: "g", parameters: { type: "object", properties: {} } } },
  ],
  response_format: { type: "json_schema", json_schema: { name: "x", schema: { type: "object" } } },
  ...{ temperature: 1, n: 1, stop: null, tool_choice: "auto", user: "u", metadata: { a: "b" } },
};

const odd: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, "", " ", "\uD800", "\u0000", "x".repeat(5000), "__proto__", "nobody:once"],
  ...[[], {}, [null], [[]], { role: "user" }, { type: "text" }, { a: { b: {} } }, "data:;base64,=", "<|im_start|>"],
  ...["user", "assistant", "tool", "system", "constructor", [1, 2, 3], { toString: 1 }, { length: -1 }],
];

type Draw = (count: number) => number;

/** Changes one place of a value: replaces, removes, repeats, or adds what nobody knows. */
function changed(value: Json, draw: Draw): Json {
  const isInside = typeof value === "object" && value !== null && Object.keys(value).length > 0 && draw(8) > 0;
  if (!isInside) return odd[draw(odd.length)];
  const copy: Json = Array.isArray(value) ? [...value] : { ...value };
  const keys = Object.keys(value);
  const key = keys[draw(keys.length)] as string;
  const how = draw(10);
  if (how === 0 && Array.isArray(copy)) copy.splice(Number(key), 1);
  else if (how === 0) delete copy[key];
  else if (how === 1 && Array.isArray(copy)) copy.push(copy[Number(key)]);
  else if (how === 1) copy[["x", "toString", "__proto__", "role"][draw(4)] as string] = odd[draw(odd.length)];
  else copy[key] = changed(value[key], draw);
  return copy;
}

/** Posts so many bodies, most of them wrong: each is answered, as a client of OpenAI's reads it, and nothing is asked for it. */
export async function tryMalformed(count: number): Promise<void> {
  const served = await newServed({ openai: true });
  const random = randomFrom(seed);
  const draw: Draw = (most) => Math.floor(random() * most);
  const secret = await served.token({ kind: "user", user: "bo" });
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const statuses = new Map<number, number>();
  try {
    for (let tried = 0; tried < count; tried++) {
      let body: Json = whole;
      for (let more = draw(3); more >= 0; more--) body = changed(body, draw);
      let text = JSON.stringify(body) ?? "";
      if (draw(20) === 0) text = text.slice(0, draw(text.length));
      const request = new Request("http://localhost/v1/chat/completions", { method: "POST", headers, body: text });
      const response = await served.app.fetch(request);
      const answer = (await response.json()) as Json;
      const { message, type, param, code } = answer.error ?? {};
      const isRead =
        response.status >= 400 &&
        response.status < 500 &&
        [message, type, code].every((one) => typeof one === "string");
      if (!isRead || (param !== null && typeof param !== "string"))
        throw new Error(`${text} was answered with ${response.status}: ${JSON.stringify(answer)}`);
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
    expect(served.model.requests).toEqual([]);
    expect([...statuses.keys()].toSorted()).toEqual([400, 404]);
  } finally {
    await served.close();
  }
}
