import { get, plainRequest, post } from './plain-http.ts';
import type { PlainRequest } from './plain-http.ts';
import type { Random } from './random.ts';

/** A request such as clients, careless clients and attackers send. */
export function randomRequest(random: Random): PlainRequest {
  const fields = { path: random.pick(paths), headers: random.chance(0.3) ? [random.pick(oddHeaders)] : [] };
  if (random.chance(0.3))
    return get({ query: random.pick(documents), variables: random.pick(['', '{}', '{"t":"x"}', '[', 'null']) }, fields);
  if (random.chance(0.1)) return plainRequest({ ...fields, method: random.pick(methods) });
  return post(random.pick(bodies)(random), fields);
}

const documents = [
  '{ __typename }',
  '{ echo(text: "🌍") }',
  'query ($t: String!) { echo(text: $t) }',
  'mutation { add }',
  '{',
  '',
  '{ nothing }',
  '{ a: __typename'.repeat(300),
];
const methods = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH'];
export const paths: readonly string[] = [
  '/graphql',
  '/',
  '/graphql/',
  '//',
  '/health',
  '/a/%00/b',
  '/%',
  '/\u{1f30d}',
  `/${'p'.repeat(5000)}`,
  '/../../etc/passwd',
].map((path) => encodeURI(path).replaceAll('%25', '%'));
export const oddHeaders: readonly (readonly [string, string])[] = [
  ['Accept', 'image/png'],
  ['Accept', '*/*;q=0'],
  ['Accept', `${'a/b, '.repeat(1000)}*/*`],
  ['Content-Type', 'text/plain'],
  ['Content-Encoding', 'gzip'],
  ['Content-Length', '999999'],
  ['User-Agent', 'ELB-HealthChecker/2.0'],
  ['Origin', 'null'],
  ['X-Forwarded-Host', 'evil.example'],
];
/** Bodies of a POST: a value is sent as JSON, a text or bytes as they are. */
export const bodies: readonly ((random: Random) => unknown)[] = [
  (random) => ({ query: random.pick(documents), variables: { t: '\ud83c\udf0d' } }),
  (random) => Array.from({ length: random.below(12) }, () => ({ query: random.pick(documents) })),
  () => '{"query":"{ __typename }"}\n{"query":"{ __typename }"}',
  () => `\ufeff{"query":"{ __typename }"}`,
  () => 'query=%7B__typename%7D',
  () => `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  () => JSON.stringify({ query: '{'.repeat(2000) }),
  () => '{"__proto__":{"query":"{ __typename }"},"constructor":5}',
  () => JSON.stringify({ query: '{ __typename }', variables: { ['__proto__']: 1 }, operationName: '__proto__' }),
  (random) => JSON.stringify({ query: '{ __typename }', filler: 'x'.repeat(random.chance(0.02) ? 3_000_000 : 3000) }),
  () => new Uint8Array(Buffer.from('{"query":"{ __typename }"}', 'utf16le')),
  () => new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]),
];
