import { expect, test } from "vitest";
import { messageFaults } from "./endurance-check.ts";

test("what would be lost, doubled or unexplained is noticed", () => {
  const failure = { at: "", turn: null, because: "model-busy: Busy." };
  const one = { id: "m1", sender: "shop/bo", tries: 1, failures: [] };
  const reply = { to: "shop/bo", body: "Reply to m1." };
  const answered = { ...one, status: "answered" } as const;
  const dead = { ...one, status: "dead", tries: 3, failures: [failure, failure, failure] } as const;
  expect([
    messageFaults(answered, [reply]),
    messageFaults(dead, []),
    messageFaults({ ...one, tries: 0, status: "withdrawn" }, []),
    messageFaults({ ...one, status: "waiting" }, []),
    messageFaults({ ...one, status: "taken" }, []),
    messageFaults(answered, [reply, reply]),
    messageFaults(answered, []),
    messageFaults({ ...answered, tries: 2 }, [reply]),
    messageFaults(answered, [{ ...reply, to: "shop/eva" }]),
    messageFaults({ ...dead, failures: [failure, { ...failure, because: "" }, failure] }, []),
    messageFaults(dead, [reply]),
  ]).toEqual([
    [],
    [],
    [],
    ["is waiting for ever"],
    ["is taken for ever"],
    ['is answered after 1 tries with {"replies":2,"reasons":0}'],
    ['is answered after 1 tries with {"replies":0,"reasons":0}'],
    ['is answered after 2 tries with {"replies":1,"reasons":0}'],
    ["got the reply “Reply to m1.” to shop/eva"],
    ['is dead after 3 tries with {"replies":0,"reasons":2}'],
    ['is dead after 3 tries with {"replies":1,"reasons":3}'],
  ]);
});
