// What an agent starts as the MCP server of our tools: a pipe between its standard input and output and the process that
// has them. It knows nothing of the protocol. Plain JavaScript without imports of ours: whatever runs it may be old.

import { connect } from "node:net";

const { CHARTER_TOOLS_SOCKET: path = "", CHARTER_TOOLS_SECRET: secret = "" } = process.env;
const socket = connect(path);
let heard = false;

socket.on("connect", () => {
  socket.write(`${secret}\n`);
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
});
socket.once("data", () => {
  heard = true;
});
socket.on("error", (error) => end(`The tools cannot be reached: ${error.message}.`));
socket.on("close", () => end(heard || process.stdin.readableEnded ? undefined : "The tools were not opened."));
process.stdout.on("error", () => end());

function end(reason) {
  if (reason !== undefined) process.stderr.write(`charter: ${reason}\n`);
  process.exit(reason === undefined ? 0 : 1);
}
