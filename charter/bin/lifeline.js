// The child's end of a lifeline (child.js), taken up when this file is loaded and there is one.

const fd = process.env.CHARTER_LIFELINE;
// What this process starts has no lifeline of its own.
delete process.env.CHARTER_LIFELINE;
const loaded = process.execArgv.indexOf(import.meta.url);
if (loaded > 0) process.execArgv.splice(loaded - 1, 2);
if (fd !== undefined) await takeUp(Number(fd));

async function takeUp(fd) {
  const { Socket } = await import("node:net");
  const { createHearing } = await import("./hearing.js");
  let line;
  try {
    line = new Socket({ fd, readable: true, writable: true });
  } catch {
    return; // The variable was somebody else's.
  }
  const hearing = createHearing();
  let rest = "";
  line.unref();
  line.on("error", () => {});
  line.on("data", (chunk) => {
    const signals = `${rest}${chunk}`.split("\n");
    rest = signals.pop();
    for (const signal of signals) {
      line.write("\n");
      hearing.told(signal);
    }
  });
  line.on("close", () => hearing.parentGone());
  line.write("\n");
}
