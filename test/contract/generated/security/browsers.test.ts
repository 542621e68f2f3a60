import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { CORSOptions } from '../../../../src/server/http/cors.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { addedFields, browse } from '../../../support/browser.ts';
import type { PageRequest, SeenResponse } from '../../../support/browser.ts';
import { cases } from '../../../support/long-form.ts';
import { plainRequest } from '../../../support/plain-http.ts';
import { createRandom } from '../../../support/random.ts';
import type { Random } from '../../../support/random.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { frontDoors } from '../../../support/sources.ts';
import type { FrontDoor, OpenDoor } from '../../../support/sources.ts';

const seed = Number(process.env['SEED'] ?? 3);
const servers = cases({ short: 4, long: 100 });
const requests = 25;

const friend = 'https://shop.example';
const origins = [
  friend,
  'https://shop.example:8443',
  'http://shop.example',
  'https://evil.shop.example',
  'https://evilxshop.example',
  'https://shop.example.evil.test',
  'https://evilshop.example',
  'https://evil.test',
  'null',
];

/** Values of `cors.origin`, with the origins that they are meant to allow. */
const sharing: readonly {
  readonly origin: CORSOptions['origin'];
  readonly lets: (origin: string) => boolean;
  readonly all?: true;
  readonly withCredentials?: true;
}[] = [
  { origin: undefined, lets: () => true, all: true },
  { origin: '*', lets: () => true, all: true },
  { origin: friend, lets: (origin) => origin === friend },
  { origin: [friend, 'https://evil.shop.example'], lets: (origin) => origin === friend || origin === 'https://evil.shop.example' },
  { origin: /^https:\/\/(?:[a-z]+\.)?shop\.example$/g, lets: (origin) => origin === friend || origin === 'https://evil.shop.example' },
  // With credentials, patterns are refused.
  { origin: /shop\.example/, lets: (origin) => origin === friend, withCredentials: true },
  { origin: [friend, /^https:\/\/evil\.shop\.example$/], lets: (origin) => origin === friend, withCredentials: true },
  { origin: [], lets: () => false },
  { origin: (origin) => origin.endsWith('.shop.example'), lets: (origin) => origin === 'https://evil.shop.example' },
  { origin: async (origin) => origin === friend, lets: (origin) => origin === friend },
  { origin: () => 'yes' as never, lets: () => false },
];

interface Site {
  readonly options: Partial<ServerOptions>;
  /** Undefined: no cors option. */
  readonly lets: ((origin: string) => boolean) | undefined;
  readonly credentials: boolean;
}

function siteOf(random: Random): Site {
  const csrfPrevention = random.pick<ServerOptions['csrfPrevention']>([
    true,
    true,
    undefined,
    { requestHeaders: ['x-my-operation-name'] },
    { requestHeaders: ['x-my-operation-name', random.pick(addedFields)[0]] },
  ]);
  const csrf = csrfPrevention === undefined ? {} : { csrfPrevention };
  if (random.chance(0.3)) return { options: csrf, lets: undefined, credentials: false };
  const { origin, lets, all, withCredentials } = random.pick(sharing);
  const credentials = withCredentials === true || (all !== true && random.chance(0.5));
  const cors: CORSOptions = {
    ...(origin !== undefined && { origin }),
    ...(credentials && { credentials }),
    ...(random.chance(0.2) && { methods: ['POST'] }),
    ...(random.chance(0.2) && { allowedHeaders: random.pick(['content-type, x-user', ['Content-Type'], '*']) }),
    ...(random.chance(0.2) && { exposedHeaders: 'x-answer' }),
    ...(random.chance(0.2) && { maxAge: 60 }),
  };
  const letsIn = (asking: string): boolean => lets(asking) && !(asking === 'null' && credentials);
  return { options: { ...csrf, cors }, lets: letsIn, credentials };
}

const contentTypes = [
  undefined,
  'application/json',
  'text/plain',
  'text/plain; application/json',
  'text/plain;charset=application/json',
  'TEXT/PLAIN',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded; x=application/json',
  'application/json; charset=utf-8',
  'application/json, text/plain',
  'text/plain, application/json',
  ' text/plain ',
  '',
  ';application/json',
  'application/json\t',
  'application/graphql',
  'application/graphql-response+json',
  'text/plain;"application/json"',
  '*/*',
];

const otherHeaders: readonly (readonly [string, string])[] = [
  ['x-apollo-operation-name', 'Q'],
  ['x-vendor-operation-name', ''],
  ['vendor-require-preflight', '1'],
  ['x-my-operation-name', '1'],
  ['x-user', 'alice'],
  ['accept', 'application/json'],
  ['accept', 'text/event-stream'],
  ['accept', `application/json;x=${'y'.repeat(130)}`],
  ['accept-language', 'en'],
  ['accept-language', 'Q'],
  ['content-language', 'en'],
  ['authorization', 'Bearer x'],
  ['cookie2', 'x'],
];

function pageRequest(random: Random): PageRequest {
  const contentType = random.pick(contentTypes);
  return {
    origin: random.pick(origins),
    method: random.pick(['POST', 'POST', 'POST', 'GET', 'GET', 'HEAD', 'QUERY', 'post', 'query', 'PUT', 'DELETE', 'patch']),
    headers: [
      ...(contentType === undefined ? [] : [[random.pick(['content-type', 'Content-Type']), contentType] as const]),
      ...otherHeaders.filter(() => random.chance(0.12)),
    ],
    credentials: random.chance(0.7),
    mode: random.pick(['cors', 'cors', 'no-cors', 'form']),
    added: addedFields.filter(() => random.chance(0.2)),
  };
}

for (const door of frontDoors.filter(({ name }) =>
  ['HTTP API 2.0', 'ALB with multi-value headers', 'web Request', 'Netlify 1'].includes(name),
)) {
  test(`a page of another origin can neither run operations nor read responses in a browser: ${door.name}`, async () => {
    const random = createRandom(seed);
    for (let server = 0; server < servers; server++) {
      const runs: string[] = [];
      const note = (name: string) => (): string => (runs.push(name), 'done');
      const { options, lets, credentials } = siteOf(random);
      const open = openUnlessRefused(door, {
        nodeEnv: '',
        logger: recordingLogger()[0],
        typeDefs: `type Query { me: String } type Mutation { write: String } # ${door.name} ${server}`,
        resolvers: { Query: { me: note('me') }, Mutation: { write: note('write') } },
        context: ({ response }) => (response.headers.set('x-answer', '1'), {}),
        ...options,
      } as ServerOptions);
      if (open === undefined) continue;

      for (let at = 0; at < requests; at++) {
        const page = pageRequest(random);
        const fetchMetadata = options.csrfPrevention === undefined || random.chance(0.5);
        const query = random.pick(['{ me }', 'mutation { write }']);
        const seen: { readonly origin: string; readonly response: SeenResponse }[] = [];
        const sendAs = (origin: string) => async (method: string, headers: readonly (readonly [string, string])[]) => {
          const inURL = method === 'GET' || method === 'HEAD';
          const response = await open.send(
            plainRequest({
              method,
              query: inURL ? new URLSearchParams({ query }).toString() : '',
              headers: headers.map(([name, value]): [string, string] => [name, name === 'Origin' ? origin : value]),
              body: inURL || method === 'OPTIONS' ? undefined : JSON.stringify({ query }),
            }),
          );
          seen.push({ origin, response });
          return response;
        };
        runs.length = 0;

        const outcome = await browse(page, sendAs(page.origin), fetchMetadata);

        if (outcome === undefined) continue;
        const story = JSON.stringify({
          options,
          page,
          query,
          fetchMetadata,
          runs,
          outcome,
          headers: [...(outcome.response?.headers ?? [])],
        });
        const isLetIn = lets?.(page.origin) === true && (!page.credentials || credentials);
        if (outcome.isReadable) assert.ok(isLetIn, `it reads the answer: ${story}`);
        if (page.mode === 'cors' && outcome.isSent && isLetIn) assert.ok(outcome.isReadable, `it cannot read the answer: ${story}`);
        // A request of a disallowed page arrives only if it needs no preflight, and then nothing runs.
        if (lets?.(page.origin) !== true || (page.credentials && !credentials)) assert.deepEqual(runs, [], `it ran: ${story}`);

        const [first] = seen;
        await browse({ ...page, origin: 'https://third.example' }, sendAs('https://third.example'), fetchMetadata);
        const other = seen.find(({ origin }) => origin === 'https://third.example');
        if (first === undefined || other === undefined || page.origin === 'https://third.example') continue;
        const fieldsOf = ({ headers }: SeenResponse): string =>
          JSON.stringify(
            [...headers]
              .map((field) => field.join(': '))
              .filter((field) => field.startsWith('access-control'))
              .toSorted(),
          );
        if (fieldsOf(first.response) !== fieldsOf(other.response)) {
          for (const { response } of [first, other])
            assert.match(response.headers.get('vary') ?? '', /\bOrigin\b/i, `a store mixes them up: ${story}`);
        }
      }
      await open.close();
    }
  });
}

/** Undefined if createHandler refuses the options. */
function openUnlessRefused(door: FrontDoor, options: ServerOptions): OpenDoor | undefined {
  try {
    return door.open(options);
  } catch (error) {
    assert.match(String(error), /csrfPrevention\.requestHeaders to be a list of names|cors\.origin must not be a pattern/);
    return undefined;
  }
}
