// What a process has been told, by whatever way: a signal of its own, a line from whom it stands for, a parent that is
// gone. Each wish is heard once.

import { deliver, passedOn } from "./signals.js";

/** A signal that was sent to both, parent and child, comes by both ways within this time. */
const atMost = 10_000;

export function createHearing() {
  const emit = process.emit;
  const news = createNews();
  let asked = false;
  // Not by listening: a signal that nobody listens to has to end the process.
  process.emit = function (event, ...rest) {
    if (passedOn.includes(event)) {
      if (!news(event, "sent")) return true;
      note(event);
    }
    return emit.call(this, event, ...rest);
  };
  const note = (signal) => {
    // In a conversation Ctrl-C stops an answer.
    asked ||= signal !== "SIGINT";
  };
  const act = (signal) => {
    note(signal);
    deliver(signal, emit);
  };
  return {
    told: (signal) => {
      if (passedOn.includes(signal) && news(signal, "told")) act(signal);
    },
    /** Nobody could end this process any more. One that was asked before ends anyway, in peace. */
    parentGone: () => {
      if (!asked) act("SIGTERM");
    },
  };
}

/** Says of each signal whether it is news, or one that came by the other way before. */
function createNews() {
  const alone = [];
  return (signal, way) => {
    const now = performance.now();
    while (alone.length > 0 && now - alone[0].at > atMost) alone.shift();
    const twin = alone.findIndex((one) => one.signal === signal && one.way !== way);
    if (twin === -1) alone.push({ signal, way, at: now });
    else alone.splice(twin, 1);
    return twin === -1;
  };
}
