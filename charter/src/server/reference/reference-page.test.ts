import { expect, test } from "vitest";
import { referencePage } from "./reference.ts";

const hostile = `</code><script>alert("x")</script><img src='x' onerror=alert(1)>&`;

test("a page of the reference says what an operation takes and answers", () => {
  const page = referencePage({
    info: { title: "Charter", version: "1.2.3" },
    paths: {
      "/api/agents/{agent}": {
        patch: {
          tags: ["agents"],
          summary: "Set it up anew",
          description: "Only `model` is looked at.",
          parameters: [
            { name: "agent", in: "path", required: true, schema: { type: "string" }, description: "Its name." },
          ],
          requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Change" } } } },
          responses: {
            200: {
              description: "Done.",
              content: { "application/json": { schema: { $ref: "#/components/schemas/Agent" } } },
            },
            401: {
              description: "Who?",
              content: { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } },
            },
            404: {
              description: "None.",
              content: { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } },
            },
          },
        },
      },
    },
    components: { schemas: { Change: { type: "object", properties: { model: { type: "string" } } } } },
  });
  expect(page).toContain('<span class="method patch">PATCH</span><code>/api/agents/{agent}</code>');
  expect(page).toContain("<p>Only <code>model</code> is looked at.</p>");
  expect(page).toContain('<td><code>agent</code></td><td class="soft">path</td><td><code>string</code></td>');
  expect(page).toContain("<h3>Body</h3><pre>{\n  model?: string\n}</pre>");
  expect(page).toContain('<td><code>200</code></td><td>Done. <a href="#Agent"><code>Agent</code></a></td>');
  expect(page).toContain("Else <code>401 404</code>");
  expect(page).toContain('<a href="#shapes">shapes</a>');
});

test("words of a description cannot become part of the page", () => {
  const schema = {
    type: "object",
    properties: { [hostile]: { enum: [hostile], description: hostile } },
    description: hostile,
  };
  const content = { [hostile]: { schema } };
  const page = referencePage({
    info: { title: hostile, version: hostile, description: hostile },
    paths: {
      [hostile]: {
        get: {
          ...{ summary: hostile, description: hostile, tags: [hostile] },
          parameters: [{ name: hostile, in: hostile, schema, description: hostile }],
          ...{ requestBody: { content }, responses: { [hostile]: { description: hostile, content } } },
        },
      },
    },
    components: { schemas: { [hostile]: schema } },
  });
  expect(page).not.toMatch(/<(?:script|img)/);
  expect(page.match(/<\/code>&#60;script/g)).toBeNull();
});
