// Loaded into a service before its own code (`node --import`): counts what it asks of the database, of the ledger and of the system,
// and writes the sums as JSON to the file LEGWORK_COUNTS whenever it gets SIGUSR2. What counting costs is in no other figure.
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import pg from 'pg';

const sums = {};
const add = (what, amount = 1) => {
  sums[what] = (sums[what] ?? 0) + amount;
};

/** The command, and what it is about: enough to know a statement by. */
const KINDS = /^(?:with .*?\)\s*)?(select|insert into|update|delete from)\b(?:.*?\bfrom)?\s+"?(\w+)/s;
const kindOf = (text) => {
  const [, command, about] = KINDS.exec(text.toLowerCase()) ?? [];
  return command === undefined ? text.slice(0, 30) : `${command.split(' ')[0]} ${about}`;
};

const query = Reflect.get(pg.Client.prototype, 'query');
pg.Client.prototype.query = function counted(asked, ...rest) {
  const text = typeof asked === 'string' ? asked : asked.text;
  add('statements');
  if (text.startsWith('start transaction'))
    add(text.includes('serializable') ? 'transactions, serializable' : 'transactions');
  add(`statement: ${process.env.LEGWORK_COUNTS_WHOLE ? text.replaceAll(/\s+/g, ' ').slice(0, 300) : kindOf(text)}`);
  return query.call(this, asked, ...rest);
};

const request = http.request;
http.request = (...args) => {
  const sent = request(...args);
  const end = Reflect.get(sent, 'end');
  sent.end = function counted(body, ...rest) {
    const [, method] = /"method":"(\w+)"/.exec(String(body)) ?? [];
    if (method !== undefined) {
      add('RPCs');
      add(`RPC: ${method}`);
    }
    return end.call(this, body, ...rest);
  };
  return sent;
};
syncBuiltinESMExports();

const peerOf = (socket) =>
  socket.constructor.name === 'TickSocket'
    ? 'database'
    : socket._httpMessage?.constructor.name === 'ClientRequest'
      ? 'ledger'
      : 'callers';

for (const name of ['_write', '_writev']) {
  const write = Socket.prototype[name];
  Socket.prototype[name] = function counted(...args) {
    add(`writes: ${peerOf(this)}`);
    return write.apply(this, args);
  };
}

const subtle = Object.getPrototypeOf(crypto.subtle);
for (const name of ['digest', 'sign', 'verify']) {
  const done = subtle[name];
  subtle[name] = function counted(...args) {
    add(`crypto: ${name}`);
    return done.apply(this, args);
  };
}

for (const name of ['parse', 'stringify']) {
  const done = JSON[name];
  JSON[name] = (...args) => {
    const result = done(...args);
    add(`JSON: ${name}`);
    add(`JSON: bytes of ${name}`, (name === 'parse' ? args[0] : result)?.length ?? 0);
    return result;
  };
}

process.on('SIGUSR2', () => writeFileSync(process.env.LEGWORK_COUNTS, JSON.stringify(sums)));
