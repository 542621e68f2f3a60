import { createHash } from 'node:crypto';

import type { PlainRequest, PlainResponse } from '../../../../support/plain-http.ts';
import type { Random } from '../../../../support/random.ts';

/** Creates a request in one of the many forms that clients use. */
export function randomRequest(random: Random, user: string, documents: readonly string[]): PlainRequest {
  const query = random.pick(documents);
  const variables = query.includes('$a') ? random.pick(['{"a":1,"b":"x"}', '{"b":"x","a":1}', '{ "a" : 1 }', '{"b":"\\u0078","a":1}', undefined]) : undefined; // prettier-ignore
  const hash = createHash('sha256').update(query).digest('hex');
  const extensions = random.chance(0.25) ? JSON.stringify({ persistedQuery: { version: 1, sha256Hash: hash } }) : undefined;
  const isBare = extensions !== undefined && random.chance(0.5);
  const method = random.chance(0.8) ? 'GET' : random.pick(['POST', 'QUERY', 'HEAD']);
  const headers: [string, string][] = [
    [random.pick(['cookie', 'Cookie', 'COOKIE']), random.pick([`user=${user}`, `a=1; user=${user}; b=2`])],
    [random.pick(['authorization', 'Authorization', 'AUTHORIZATION']), `Bearer ${user}`],
    [random.pick(['accept', 'Accept']), random.pick(['*/*', 'application/json', 'application/graphql-response+json'])],
    ['Vendor-Require-Preflight', '1'],
  ];
  const path = random.chance(0.1) ? '/graphql/' : '/graphql';
  const tracking = random.chance(0.15) ? [['user', user] as const] : [];
  if (method === 'POST' || method === 'QUERY') {
    const one = { ...(!isBare && { query }), ...(variables && { variables: JSON.parse(variables) as object }), ...(extensions && { extensions: JSON.parse(extensions) as object }) }; // prettier-ignore
    const body = JSON.stringify(random.chance(0.2) && method === 'POST' ? [one, { query: '{ text }' }] : one);
    return { method, path, query: spelled(random, tracking), headers: [...headers, ['Content-Type', 'application/json']], body };
  }
  const parameters = [
    ...(isBare ? [] : [['query', query] as const]),
    ...(variables === undefined ? [] : [['variables', variables] as const]),
    ...(extensions === undefined ? [] : [['extensions', extensions] as const]),
    ...tracking,
  ];
  return { method, path, query: spelled(random, random.chance(0.8) ? parameters : parameters.toReversed()), headers, body: undefined };
}

function spelled(random: Random, parameters: readonly (readonly [string, string])[]): string {
  const spell = random.pick([
    encodeURIComponent,
    encodeURIComponent,
    encodeURIComponent,
    encodeURIComponent,
    (text: string) => encodeURIComponent(text).replaceAll('%20', '+'),
    (text: string) => encodeURIComponent(text).replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    (text: string) => encodeURIComponent(text).replaceAll('e', '%65'),
  ]);
  return parameters.map(([name, value]) => `${name}=${spell(value)}`).join('&');
}

/** Converts a response for the cache in front of the server. */
export function toWeb({ status, headers, setCookies, body }: PlainResponse): Response {
  const given = [...headers].filter(([name]) => name !== 'set-cookie');
  return new Response(status === 204 || status === 304 ? null : body, { status, headers: [...given, ...setCookies.map((cookie): [string, string] => ['set-cookie', cookie])] }); // prettier-ignore
}
