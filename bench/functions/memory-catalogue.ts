// The example's REST API over HTTP, in a separate process, which sends its port to the parent. For bench/small-memory.ts.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import catalogue from '../../functions/catalogue.ts';

const server = createServer(async ({ url }, response) => {
  const answer = await catalogue(new Request(`http://127.0.0.1/.netlify/functions/catalogue${url}`));
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
});
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
