import { assistant, system, user } from "./gateway-stage.ts";

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const data = `data:image/png;base64,${png}`;

/** A request of a chat page: its headers besides the token, and its body. */
export type PageRequest = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: { readonly model: string; readonly [field: string]: unknown };
};

const webui = { "X-OpenWebUI-User-Name": "Bo", "X-OpenWebUI-User-Id": "6d1f", "X-OpenWebUI-User-Role": "user" };
const task = (words: string) => [
  user(`### Task:\n${words}\n### Chat History:\n<chat_history>\nUSER: Tea?\n</chat_history>`),
];

/** Shapes of what Open WebUI sends to a connection: its metadata stays with it, what a person or admin set is added. */
export const openWebui: Readonly<Record<string, PageRequest>> = {
  "a message": { headers: webui, body: { model: "ada", stream: true, messages: [user("Tea?")] } },
  "a message of a chat whose model tells usage": {
    headers: { ...webui, "X-OpenWebUI-Chat-Id": "c0ffee" },
    body: {
      ...{ model: "ada", stream: true, stream_options: { include_usage: true } },
      messages: [system("Answer in French."), user("Tea?"), assistant("Fine."), user("At four?")],
    },
  },
  "a picture": {
    headers: webui,
    body: {
      ...{ model: "ada", stream: true },
      messages: [
        user([
          { type: "text", text: "What is it?" },
          { type: "image_url", image_url: { url: data } },
        ]),
      ],
    },
  },
  "a title": {
    headers: webui,
    body: {
      ...{ model: "ada:once", stream: false, max_completion_tokens: 1000 },
      messages: task("Write a title of three words for this chat, as JSON with the field “title”."),
    },
  },
  "a title by a server it takes for Ollama": {
    body: { model: "ada:once", stream: false, max_tokens: 50, messages: task("Write a title.") },
  },
  "tags, or what to ask next": {
    headers: webui,
    body: { model: "ada:once", stream: false, messages: task("Name one to three broad tags, as JSON.") },
  },
  "a tool of the page's own": {
    body: {
      ...{ model: "ada", stream: true, messages: [user("Tea?")] },
      tools: [
        {
          type: "function",
          function: {
            ...{ name: "tool_kettle_post", description: "Turns the kettle on." },
            parameters: { type: "object", properties: { cups: { type: "integer" } }, required: ["cups"] },
          },
        },
      ],
    },
  },
};

const stainless = { "x-stainless-lang": "js", "x-stainless-retry-count": "0", "x-stainless-runtime": "node" };

/** Shapes of what LibreChat sends to a custom endpoint, by OpenAI's package. */
export const libreChat: Readonly<Record<string, PageRequest>> = {
  "a message": {
    headers: stainless,
    body: {
      ...{ model: "ada", user: "66f0", stream: true, stream_options: { include_usage: true } },
      messages: [user("Tea?")],
    },
  },
  "a message with all its sliders where they are at first": {
    headers: stainless,
    body: {
      ...{ model: "ada", user: "66f0", stream: true, temperature: 1, top_p: 1, n: 1 },
      ...{ presence_penalty: 0, frequency_penalty: 0 },
      messages: [system("Answer in French."), user("Tea?"), assistant("Fine."), user("At four?")],
    },
  },
  "a picture": {
    headers: stainless,
    body: {
      ...{ model: "ada", user: "66f0", stream: true },
      messages: [
        user([
          { type: "text", text: "What is it?" },
          { type: "image_url", image_url: { url: data, detail: "auto" } },
        ]),
      ],
    },
  },
  "a title": {
    headers: stainless,
    body: { model: "ada:once", user: "66f0", messages: [user("Write a title for this.\nUser: Tea?\nAI: Fine.")] },
  },
};
