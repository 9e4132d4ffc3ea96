// Preloaded into a process and its threads (NODE_OPTIONS): writes where connections and look-ups want to go.
/* eslint-disable @typescript-eslint/no-require-imports -- what is preloaded with --require is CommonJS */
const { appendFileSync } = require("node:fs");
const dgram = require("node:dgram");
const dns = require("node:dns");
const net = require("node:net");

/** @param {string} kind @param {unknown} target */
function record(kind, target) {
  const file = process.env.RECORD_CONNECTIONS;
  if (file) appendFileSync(file, `${kind} ${String(target)}\n`);
}

const connect = net.Socket.prototype.connect;
/** @param {any[]} args */
net.Socket.prototype.connect = function (...args) {
  const first = Array.isArray(args[0]) ? args[0][0] : args[0];
  const target = typeof first === "object" ? (first.path ?? first.host ?? "localhost") : (args[1] ?? first);
  record("connect", target);
  return connect.apply(this, /** @type {any} */ (args));
};

const send = dgram.Socket.prototype.send;
/** @param {any[]} args */
dgram.Socket.prototype.send = function (...args) {
  record("send", args.find((each) => typeof each === "string") ?? "connected");
  return send.apply(this, /** @type {any} */ (args));
};

for (const owner of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
  const methods = /** @type {Record<string, any>} */ (owner);
  for (const name of Object.keys(dns).filter((each) => /^(lookup$|resolve|reverse)/.test(each))) {
    const original = methods[name];
    if (typeof original !== "function") continue;
    methods[name] = /** @param {any[]} args */ function (...args) {
      record(name, args[0]);
      return original.apply(this, args);
    };
  }
}
