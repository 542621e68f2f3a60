// Serves the default export of a module over HTTP, with Node's Request: node serve-request.ts <module>
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const { default: worker } = (await import(process.argv[2]!)) as { default: { fetch(request: Request): Promise<Response> } };

const server = createServer(async ({ url }, response) => {
  const answer = await worker.fetch(new Request(`http://127.0.0.1${url}`));
  response.end(await answer.text());
});
server.listen(0, '127.0.0.1', () => console.log(`:${(server.address() as AddressInfo).port}`));
