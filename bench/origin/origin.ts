/**
 * The shop in a child process of bench/edge-origin.ts, so that its CPU time can be measured. Its argument has settings of `edge`, for
 * responses that Varnish may store. It sends its port, and receives the address of Varnish.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { edge, varnishPurge } from '../../src/entries/edge.ts';
import type { Edge, Purge } from '../../src/entries/edge.ts';
import { createListener } from '../../src/entries/node.ts';
import { createShop } from '../../test/real/varnish-shop.ts';
import type { EdgeSettings, FromOrigin, ToOrigin } from './start-origin.ts';

/** Before it is told where Varnish is, it purges nothing. */
let purgeVarnish: Purge = async () => undefined;
let asked = 0;

function tell(message: FromOrigin): void {
  process.send!(message);
}

process.on('message', (message: ToOrigin) => {
  if (message.kind === 'varnish') {
    purgeVarnish = varnishPurge({ urls: [message.url] }).purge;
    tell({ kind: 'behind' });
  } else tell({ kind: 'usage', cpu: process.cpuUsage(), asked });
});

// The bench has ended.
process.on('disconnect', () => process.exit());

function createEdge({ inAnswers, ...settings }: EdgeSettings): Edge {
  const client = varnishPurge({ urls: ['http://varnish.internal/'], inAnswers });
  return edge({ cdn: 'varnish', purge: { ...client, ...settings, purge: (tags, platform) => purgeVarnish(tags, platform) } });
}

const [, , settings] = process.argv;
const plugins = settings === undefined ? [] : [createEdge(JSON.parse(settings) as EdgeSettings)];
const listener = createListener({ ...createShop(), plugins, nodeEnv: 'production' });
const server = createServer((request, response) => {
  asked++;
  void listener(request, response);
});
// As `serve` has it: caches and clients keep idle connections for up to 60 s.
server.keepAliveTimeout = 65_000;
server.listen(0, '127.0.0.1', () => tell({ kind: 'listening', port: (server.address() as AddressInfo).port }));
