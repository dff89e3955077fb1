import { expect, test } from "vitest";
import { withDrawer } from "./drawer.tsx";

const from = (path: string) => {
  const [pathname = "", search = ""] = path.split("?");
  return { pathname, search };
};

const table: readonly (readonly [from: string, to: string, goes: string, why: string])[] = [
  ["/home", "/people", "/people", "closed, it stays closed"],
  ["/home?chat=ada&as=bo&in=1", "/people/cy", "/people/cy?chat=ada&as=bo&in=1", "open, it stays open"],
  ["/agents/ada/turns?chat=ada", "/agents/ada/turns?user=bo", "/agents/ada/turns?user=bo&chat=ada", "beside a filter"],
  ["/agents/ada/turns?chat=ada&as=bo&in=1", "/agents/sol/turns", "/agents/sol/turns?chat=sol&as=bo", "with the agent"],
  ["/agents/ada/turns?chat=sol", "/agents/eve/turns", "/agents/eve/turns?chat=sol", "another agent's stays its"],
  ["/home?chat=ada", "/agents/ada/chat?user=bo", "/agents/ada/chat?user=bo", "the page of the chat is the chat"],
  ["/home?chat=ada", "/home?chat=sol", "/home?chat=sol", "a link to a chat leads there"],
];
for (const [before, to, goes, why] of table)
  test(`from ${before} to ${to}: ${why}`, () => {
    expect(withDrawer(to, from(before))).toBe(goes);
  });
