import type { IncomingMessage, ServerResponse } from 'node:http';

/** Why a request failed. */
export interface Failure {
  readonly status: number;
  readonly message: string;
}

/** Answers with the reason: JSON for clients that ask for it, which cannot show another form, and text for browsers and `curl`. */
export function sendFailure({ headers }: IncomingMessage, response: ServerResponse, { status, message }: Failure): void {
  // It is too late for another response. Closing the connection shows that this one is incomplete.
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const [type = 'text/plain'] = /application\/(?:graphql-response\+)?json/i.exec(headers.accept ?? '') ?? [];
  const code = status < 500 ? 'BAD_REQUEST' : 'INTERNAL_SERVER_ERROR';
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(type === 'text/plain' ? `${message}\n` : JSON.stringify({ errors: [{ message, extensions: { code } }] }));
}
