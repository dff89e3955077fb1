// Loaded into a process before anything else: writes down whom it connects to, which names it looks up, and which
// databases it opens, one line each, into the file that CHARTER_TEST_RECORD names.
import dgram from "node:dgram";
import dns from "node:dns";
import { appendFileSync } from "node:fs";
import module from "node:module";
import net from "node:net";
import sqlite from "node:sqlite";

const file = process.env.CHARTER_TEST_RECORD;
const note = (kind, what) => appendFileSync(file, `${kind} ${what}\n`);

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  note("connect", JSON.stringify(args[0]?.[0] ?? args[0] ?? null));
  return connect.apply(this, args);
};
const { send } = dgram.Socket.prototype;
dgram.Socket.prototype.send = function (...args) {
  note("send", "a datagram");
  return send.apply(this, args);
};
const isOwn = (name) => /^(?:localhost|127\.[\d.]+|::1)$/.test(name);
for (const where of [dns, dns.promises])
  for (const name of Object.keys(where).filter((one) => /^(?:lookup|resolve|reverse)/.test(one))) {
    const usual = where[name];
    where[name] = (...args) => {
      if (!isOwn(String(args[0]))) note("dns", args[0]);
      return usual(...args);
    };
  }
const { fetch } = globalThis;
globalThis.fetch = (...args) => {
  note("fetch", args[0]?.url ?? args[0]);
  return fetch(...args);
};
sqlite.DatabaseSync = class extends sqlite.DatabaseSync {
  constructor(path, ...args) {
    note("database", path);
    super(path, ...args);
  }
};
module.syncBuiltinESMExports();
