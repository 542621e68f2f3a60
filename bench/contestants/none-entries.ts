import type { EntriesOf } from '../event.ts';

/** Handlers for every entry that read the request and send a constant response with our header fields: the cost of the platform. */
export function entriesWithout(answer: string): ReturnType<EntriesOf> {
  return {
    event: () => async (event) => {
      JSON.parse(event.body);
      return { statusCode: 200, headers: { ...fields }, body: answer };
    },
    fetch: () => fetchWithout(() => answer),
    listener: () => async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      JSON.parse(Buffer.concat(parts).toString());
      for (const [name, value] of Object.entries(fields)) response.setHeader(name, value);
      response.end(answer);
    },
  };
}

/** The same for one `Request`. */
export function fetchWithout(answer: () => string): (request: Request) => Promise<Response> {
  return async (request) => {
    await request.json();
    return new Response(answer(), { status: 200, headers: fields });
  };
}

const fields: Readonly<Record<string, string>> = {
  'cache-control': 'private, no-store',
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
  vary: 'Accept',
};
