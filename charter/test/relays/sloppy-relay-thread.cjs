// Runs nostrmini on a port of its own, and tells whoever started its thread whenever it is asked for the memories of an agent.
const { parentPort } = require("node:worker_threads");
const { default: NostrMini } = require("nostrmini");
const WebSocket = require("express-ws/node_modules/ws");

const { on } = WebSocket.prototype;
WebSocket.prototype.on = function (name, listener) {
  if (name !== "message") return on.call(this, name, listener);
  return on.call(this, name, function (message) {
    if (String(message).startsWith('["REQ"') && !String(message).startsWith('["REQ","all"'))
      parentPort.postMessage({ asked: 1 });
    return listener.call(this, message);
  });
};

const relay = new NostrMini();
relay.listen(0).on("listening", () => parentPort.postMessage({ port: relay.address().port }));
