import { expect, test } from "vitest";
import type { Message } from "../../delivery/model.ts";
import { filesText, summaryFiles } from "./compaction.ts";

function called(name: string, input: string, failed = false): Message[] {
  const id = `${name} ${input}`;
  const result = { call: id, name, output: "", ...(failed ? { failed } : {}) } as const;
  return [
    { role: "assistant", text: "", calls: [{ id, name, input }] },
    { role: "tool", results: [result] },
  ];
}

test("files that were read and changed are told by their paths, the latest last, each once", () => {
  const first = summaryFiles([
    ...called("read", '{"path":"a.ts"}'),
    ...called("read", '{"path":"b.ts"}'),
    ...called("edit", '{"path":"b.ts"}'),
    ...called("bash", '{"path":"c.ts"}'),
    ...called("write", '{"path":"no.ts"}', true),
    ...called("read", "{"),
    ...called("read", '{"path":7}'),
  ]);
  expect(first).toEqual({ read: ["a.ts", "b.ts"], changed: ["b.ts"] });
  const later = summaryFiles(
    [...called("read", '{"path":"a.ts"}'), ...called("write", '{"path":"two\\nlines"}')],
    first,
  );
  expect(filesText(later)).toEqual(["Files read: b.ts, a.ts", "Files changed: b.ts, two lines"]);
});

test("nothing is told where no file was touched", () => {
  expect(filesText(summaryFiles([{ role: "user", text: "Hello." }]))).toEqual([]);
});
