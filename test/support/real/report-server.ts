import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** A server that background work of a probe calls when it has ended. */
export async function startReportServer(t: TestContext): Promise<{ url: string; received: Promise<void> }> {
  let receive!: () => void;
  const received = new Promise<void>((resolve) => {
    receive = resolve;
  });
  const server = createServer((_request, response) => {
    response.end();
    receive();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, received };
}
