import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { answer, type Message } from "./answer.ts";

// An MCP server over standard input and output: node program.ts <file of tools> <file it notes its calls in>
const [, , tools = "", notes = ""] = process.argv;

console.log("This line is no message.");
console.error("SECRET words on standard error");
process.on("SIGTERM", () => {});
const child = spawn("sleep", ["600"], { stdio: "ignore" });
appendFileSync(notes, `started ${process.pid} ${child.pid}\n`);

const say = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line) as Message;
  appendFileSync(notes, `${message.method ?? "answer"} ${message.params?.name ?? line.slice(0, 200)}\n`);
  if (message.method === "notifications/initialized") {
    // What a server may ask of a client: all of it is refused.
    say({ id: "s1", method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } });
    say({ id: "s2", method: "elicitation/create", params: { message: "Your password?", requestedSchema: {} } });
    say({ id: "s3", method: "roots/list" });
  }
  if (message.id === undefined || message.method === undefined) return;
  // Before its answer: whoever calls another tool after that has heard of it.
  if (message.params?.name === "change") say({ method: "notifications/tools/list_changed" });
  const answered = answer(message, tools);
  if (answered === "die") process.kill(process.pid, "SIGKILL");
  else if (answered !== "nothing") say({ id: message.id, ...answered });
});
// It stays when its input ends.
setInterval(() => {}, 1000);
