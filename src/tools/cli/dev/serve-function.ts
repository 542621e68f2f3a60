import type { IncomingMessage, ServerResponse } from 'node:http';

import { isLocalHost } from '../../../server/node/index.ts';
import { FunctionError } from './function-process.ts';
import type { FunctionHost, LocalFunction } from './function-host.ts';
import type { DevEvent } from './messages.ts';
import { homePage, sendFailure, sendPage, takesPage } from './pages.ts';

/** The functions to serve, and for which hosts. */
export interface ServeSettings {
  readonly host: string;
  readonly prefix: string;
  readonly functions: FunctionHost;
  readonly report: (event: DevEvent) => void;
}

/** The limit of Netlify and AWS for buffered requests. */
const maxBodyBytes = 6 * 1024 * 1024;

/** Answers a request with the function at its path. */
export async function answerRequest(settings: ServeSettings, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let local: LocalFunction | undefined;
  try {
    assertLocalHost(settings, request);
    await settings.functions.loaded();
    if (isHome(settings, request)) {
      sendPage(response, 200, homePage(settings.prefix, settings.functions.functions));
      return;
    }
    local = functionFor(settings, request);
    const body = await readBody(request);
    await settings.functions.call(local, { request, body, response });
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof RefusedRequest) reportRefused(settings, request, error);
    const status = error instanceof RefusedRequest || error instanceof FunctionError ? error.status : 500;
    sendFailure(request, response, { status, heading: headingFor(status, local), message });
  }
}

function headingFor(status: number, local: LocalFunction | undefined): string {
  if (local?.problem !== undefined) return 'This function does not compile';
  return status === 404 ? 'Not found' : status < 500 ? 'Request refused' : 'This function failed';
}

/** True for the page at the server's root. */
function isHome({ functions }: ServeSettings, request: IncomingMessage): boolean {
  return request.method === 'GET' && request.url === '/' && takesPage(request) && !functions.functions.has('');
}

/** Reports a request that reached no function. */
function reportRefused(
  { report }: ServeSettings,
  { method = 'GET', url = '/' }: IncomingMessage,
  { status, message }: RefusedRequest,
): void {
  const [reason = ''] = message.split('\n', 1);
  report({
    kind: 'request',
    name: '-',
    record: { method, path: url, status, milliseconds: 0, operations: [], errors: status === 404 ? [] : [reason] },
  });
}

class RefusedRequest extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Prevents DNS rebinding: any page can point its host name to this machine, and would then have the same origin as this
 * server, which shows everything. The host must be localhost unless the user listens on another one.
 */
function assertLocalHost({ host }: ServeSettings, { headers }: IncomingMessage): void {
  if (host !== 'localhost' || isLocalHost(headers.host ?? '')) return;
  throw new RefusedRequest(403, 'This server only answers requests for localhost. Use --host to change that.');
}

function functionFor({ prefix, functions }: ServeSettings, { url = '/' }: IncomingMessage): LocalFunction {
  const [path = ''] = url.split('?', 1);
  const served = [...functions.functions.values()].filter(({ isHelper }) => !isHelper);
  const local =
    served.find(({ name }) => `${path}/`.startsWith(`${prefix}/${name}/`)) ??
    served.find(({ paths }) => paths.some((one) => matches(one, path)));
  if (local !== undefined) return local;
  const paths = served.map((known) => `  ${prefix}/${known.name}`);
  throw new RefusedRequest(
    404,
    `No function at ${path}. ${paths.length === 0 ? 'There are none yet.' : `Functions:\n\n${paths.join('\n')}`}`,
  );
}

/** True for a path that a pattern of Netlify matches: `/books/:id`, `/files/*`. */
function matches(pattern: string, path: string): boolean {
  const expression = pattern
    .replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll(/:\w+/g, '[^/]+');
  return new RegExp(`^${expression}/?$`).test(path);
}

async function readBody(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBodyBytes) throw new RefusedRequest(413, `The body exceeds ${maxBodyBytes} bytes, the limit of Netlify and AWS.`);
    chunks.push(chunk as Buffer);
  }
  return bytes === 0 ? undefined : new Uint8Array(Buffer.concat(chunks));
}
