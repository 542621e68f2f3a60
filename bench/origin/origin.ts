/**
 * The shop in a process of its own, so that its CPU time is its own. A child of bench/edge-origin.ts; with "edge", for
 * answers that Varnish may keep; its second argument is `purgeInterval`. It says where it listens, and is told where Varnish is.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { edge, varnishPurge } from '../../src/edge.ts';
import type { EdgeOptions, Purge } from '../../src/edge.ts';
import { createListener } from '../../src/node.ts';
import { createShop } from '../../test/real/varnish-shop.ts';
import type { FromOrigin, ToOrigin } from './start-origin.ts';

let purgeVarnish: Purge = async () => undefined;
let asked = 0;

function tell(message: FromOrigin): void {
  process.send!(message);
}

process.on('message', (message: ToOrigin) => {
  if (message.kind === 'varnish') purgeVarnish = varnishPurge({ urls: [message.url] }).purge;
  else tell({ kind: 'usage', cpu: process.cpuUsage(), asked });
});

// The bench has ended.
process.on('disconnect', () => process.exit());

const [, , kind, interval] = process.argv;
const settings: Omit<EdgeOptions, 'cdn'> = {
  purge: (tags, platform) => purgeVarnish(tags, platform),
  purgeInterval: interval === undefined ? undefined : Number(interval),
  purgeAgainAfter: 0,
};
const plugins = kind === 'edge' ? [edge({ cdn: 'varnish', ...settings })] : [];
const listener = createListener({ ...createShop(), plugins, nodeEnv: 'production' });
const server = createServer((request, response) => {
  asked++;
  void listener(request, response);
});
server.listen(0, '127.0.0.1', () => tell({ kind: 'listening', port: (server.address() as AddressInfo).port }));
