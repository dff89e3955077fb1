import { expect, test } from "vitest";
import { createScreen } from "./screen.ts";

const asIs = (text: string) => text;
const paint = { red: asIs, green: asIs, yellow: asIs, cyan: asIs, dim: asIs, bold: asIs };

function shown(isTTY: boolean, size = { columns: 20, rows: 10 }) {
  const written = { out: "", err: "" };
  const output = (name: "out" | "err") => ({ isTTY, ...size, write: (text: string) => (written[name] += text) });
  const screen = createScreen({ out: output("out"), err: output("err"), paint, opening: "ada: " });
  return { screen, written };
}

test("in a pipe standard output has the answer and nothing else", () => {
  const { screen, written } = shown(false);
  screen.status("…");
  screen.draft("Half of ");
  screen.note(["a call"]);
  screen.dropDraft();
  screen.answer("All of it.");
  expect(written).toEqual({ out: "All of it.\n", err: "a call\n" });
});

test("on a terminal an answer is seen as it comes, once", () => {
  const { screen, written } = shown(true);
  screen.draft("All ");
  screen.draft("of it.");
  screen.answer("All of it.");
  expect(written).toEqual({ out: "ada: All of it.\n", err: "" });
});

test("a draft that was no answer is wiped, over all the rows it took", () => {
  const { screen, written } = shown(true);
  screen.draft("one\ntwo, which is longer than a row");
  expect(screen.dropDraft()).toBe("one\ntwo, which is longer than a row");
  screen.answer("Yes.");
  expect(written.out).toBe("ada: one\ntwo, which is longer\nthan a row\u001b[2A\r\u001b[Jada: Yes.\n");
});

test("a draft that is higher than the terminal is called what it was", () => {
  const { screen, written } = shown(true, { columns: 20, rows: 3 });
  screen.draft("a\nb\nc\nd");
  screen.dropDraft();
  expect(written.out).toBe("ada: a\nb\nc\nd\n(The text above was a draft, not an answer.)\n");
});

test("what is told while a draft stands waits until it is settled", () => {
  const { screen, written } = shown(true);
  screen.draft("Yes.");
  screen.note(["It was cut."]);
  screen.answer("Yes.");
  expect(written.out).toBe("ada: Yes.\nIt was cut.\n");
});

test("what goes on is shown until something comes of it", () => {
  const { screen, written } = shown(true);
  screen.status("…");
  screen.draft("Yes.");
  screen.answer("Yes.");
  expect(written.out).toBe("…\r\u001b[Jada: Yes.\n");
});

test("nobody's words draw on the terminal", () => {
  const { screen, written } = shown(true);
  screen.draft("\u001b[2JYes\u0007.\r\n\tNo.");
  screen.answer("\u001b[2JYes\u0007.\r\n\tNo.");
  expect(written.out).toBe("ada: [2JYes.\n    No.\n");
});
