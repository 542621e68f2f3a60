import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';

import type { CORSOptions } from '../../../../src/server/doors/cors.ts';
import { createEndpoint } from '../../../support/endpoint.ts';
import { plainRequest, post } from '../../../support/plain-http.ts';
import type { PlainRequest, PlainResponse } from '../../../support/plain-http.ts';
import { after } from '../../../support/stages.ts';

const asking = 'https://shop.example';

function preflight(headers: PlainRequest['headers'] = []): PlainRequest {
  return plainRequest({ method: 'OPTIONS', headers: [['Origin', asking], ['Access-Control-Request-Method', 'POST'], ...headers] });
}

function query(origin: string | undefined = asking): PlainRequest {
  return post({ query: '{ hello }' }, { headers: origin === undefined ? [] : [['Origin', origin]] });
}

/** The CORS header fields of an answer. */
function shared({ headers }: PlainResponse): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
}

it('without the cors option, no response has a CORS header, not even to a preflight', async () => {
  const endpoint = createEndpoint();

  const answers = [await endpoint.send(query()), await endpoint.send(preflight())];

  assert.deepEqual(answers.map(shared), [{}, {}]);
});

describe('cors.origin', () => {
  /** Origins, and whether the asking one may read the response; "*": everybody may. */
  const cases: readonly (readonly [name: string, origin: CORSOptions['origin'], allowed: boolean | '*'])[] = [
    ['unset', undefined, '*'],
    ['"*"', '*', '*'],
    ['the origin that asks', asking, true],
    ['an origin that the asking one begins with', 'https://shop', false],
    ['an origin whose host the asking one ends with', 'https://op.example', false],
    ['a list with it', ['https://other.example', asking], true],
    ['an empty list', [], false],
    ['a pattern', /^https:\/\/[a-z]+\.example$/, true],
    ['a list with a pattern', ['https://other.example', /\.example$/], true],
    ['a function that says yes', (origin) => origin === asking, true],
    ['a function that says yes later', async (origin) => origin === asking, true],
    ['a function that says no', () => false, false],
    ['a function that returns something else', (() => 'yes') as never, false],
  ];
  for (const [name, origin, allowed] of cases)
    it(`${name}: ${allowed === false ? 'not ' : ''}allowed`, async () => {
      const endpoint = createEndpoint({ cors: origin === undefined ? {} : { origin } });

      const response = await endpoint.send(query());

      assert.deepEqual(shared(response), allowed ? { 'access-control-allow-origin': allowed === '*' ? '*' : asking } : {});
      assert.equal(response.headers.get('vary'), allowed === '*' ? 'Accept' : 'Accept, Origin');
      assert.equal(response.status, 200);
    });

  const otherForms: Readonly<Record<string, string>> = {
    'https://a.test/': 'Expected the origin in cors.origin without the slash at its end, "https://a.test", got "https://a.test/".',
    'https://a.test/app': 'Expected the origin in cors.origin without the path "/app", "https://a.test", got "https://a.test/app".',
    'https://A.test:443': 'Expected the origin in cors.origin as browsers send it, "https://a.test", got "https://A.test:443".',
  };
  for (const [origin, message] of Object.entries(otherForms))
    it(`${origin} is refused, because no browser sends it so`, () => {
      assert.throws(() => createEndpoint({ cors: { origin } }), { name: 'TypeError', message });
      assert.throws(() => createEndpoint({ cors: { origin: [asking, origin] } }), { name: 'TypeError', message });
    });

  it('a pattern with the flag g also matches the second request', async () => {
    const endpoint = createEndpoint({ cors: { origin: /shop\.example/g } });

    const answers = [await endpoint.send(query()), await endpoint.send(query()), await endpoint.send(query())];

    assert.deepEqual(
      answers.map((answer) => shared(answer)['access-control-allow-origin']),
      [asking, asking, asking],
    );
  });

  it('a function that throws allows no origin, is logged, and fails no request', async () => {
    const endpoint = createEndpoint({ cors: { origin: () => assert.fail('no database') } });

    const response = await endpoint.send(query());

    assert.equal(response.status, 200);
    assert.deepEqual(shared(response), {});
    assert.equal(endpoint.lines.filter(({ level }) => level === 'error').length, 1);
  });

  it('is in Vary without an Origin too; another origin gets no field, not even in a preflight', async () => {
    const endpoint = createEndpoint({ cors: { origin: ['https://other.example'] } });

    const [plain, foreign] = [await endpoint.send(post({ query: '{ hello }' })), await endpoint.send(preflight())];

    assert.deepEqual([plain, foreign].map(shared), [{}, {}]);
    assert.equal(plain.headers.get('vary'), 'Accept, Origin');
  });

  it('never reflects an unlisted origin or "null" (Yoga: reflected, with credentials)', async () => {
    const endpoint = createEndpoint({ cors: { origin: [asking], credentials: true } });

    for (const origin of ['https://evil.example', 'null', '*']) assert.deepEqual(shared(await endpoint.send(query(origin))), {});
  });
});

describe('a preflight', () => {
  it('requests a method: any other OPTIONS has only the fields of every answer, and varies by no header that it lacks', async () => {
    const { send } = createEndpoint({ cors: { exposedHeaders: ['x-a'] } });

    const other = await send(plainRequest({ method: 'OPTIONS', headers: [['Origin', asking]] }));
    const requesting = await send(preflight());

    assert.deepEqual(shared(other), { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'x-a' });
    assert.doesNotMatch(requesting.headers.get('vary') ?? '', /Access-Control-Request-Headers/);
  });

  it('gets the headers that it requests, and the response varies by them', async () => {
    const response = await createEndpoint({ cors: {} }).send(preflight([['Access-Control-Request-Headers', 'content-type,x-token']]));

    assert.equal(response.headers.get('access-control-allow-headers'), 'content-type,x-token');
    assert.match(response.headers.get('vary') ?? '', /Access-Control-Request-Headers/);
  });

  it('gets allowedHeaders, methods, maxAge and credentials as configured, and the answer exposedHeaders', async () => {
    const cors: CORSOptions = {
      origin: asking,
      allowedHeaders: ['content-type', 'x-token'],
      methods: ['POST'],
      maxAge: 600,
      credentials: true,
      exposedHeaders: ['x-a', 'x-b'],
    };

    const endpoint = createEndpoint({ cors });

    const response = await endpoint.send(preflight([['Access-Control-Request-Headers', 'x-other']]));
    const answer = await endpoint.send(query());

    assert.deepEqual([response.status, endpoint.runs], [204, ['hello']]);
    assert.equal(answer.headers.get('access-control-expose-headers'), 'x-a, x-b');
    assert.deepEqual(shared(response), {
      'access-control-allow-origin': asking,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type, x-token',
      'access-control-max-age': '600',
    });
  });
});

it('a refusal can be read by another origin', async () => {
  const endpoint = createEndpoint({ cors: { origin: asking } });
  const headers: PlainRequest['headers'] = [['Origin', asking]];

  const answers = [await endpoint.send(post('{', { headers })), await endpoint.send(plainRequest({ method: 'PUT', headers }))];

  assert.deepEqual(
    answers.map((answer) => [answer.status, answer.headers.get('access-control-allow-origin')]),
    [
      [400, asking],
      [405, asking],
    ],
  );
});

for (const [cors, message] of [
  [{ credentials: true }, /cors\.credentials needs a cors\.origin like "https:\/\/example\.com"/],
  [{ credentials: true, origin: '*' }, /cors\.credentials needs a cors\.origin/],
  // It would reflect any origin.
  [{ origin: true }, /the option cors\.origin to be .*To allow every site, without credentials, leave it out/],
  [['https://a.example'], /cors/],
  [{ orgin: 'https://a.example' }, /cors/],
  [{ maxAge: '600' }, /cors/],
  [{ origin: ['*'] }, /cors/],
  [{ origin: (_: string, callback: (error: null, yes: boolean) => void) => callback(null, true) }, /cors/],
  [{ allowedHeaders: [7] }, /cors/],
  [{ exposedHeaders: 'x-ok\r\nset-cookie: a=b' }, /cors/],
  // Every page can call itself "null".
  [{ credentials: true, origin: 'null' }, /must not allow "null" with cors\.credentials/],
  [{ credentials: true, origin: ['https://shop.example', 'null'] }, /must not allow "null" with cors\.credentials/],
  ...[/shop\.example$/, ['https://other.example', /^https:\/\/shop\.example$/]].map(
    (origin) =>
      [
        { credentials: true, origin },
        /^TypeError: cors\.origin must not be a pattern with cors\.credentials, because .*, but \/.*\/ is one\. Write a function, for example /,
      ] as const,
  ),
] as const)
  it(`createHandler refuses cors: ${inspect(cors)}`, () => {
    assert.throws(() => createEndpoint({ cors: cors as never }), message);
  });

it('an origin of more than 300 characters is refused without calling the function', async () => {
  const asked: number[] = [];
  const origin = ({ length }: string): boolean => asked.push(length) > 0;
  const of = (length: number): string => 'https://'.padEnd(length, 'a');

  const answers = [
    await createEndpoint({ cors: { origin } }).send(query(of(300))),
    await createEndpoint({ cors: { origin } }).send(query(of(301))),
    await createEndpoint({ cors: { origin: /^https:.*a$/ } }).send(query(of(301))),
  ];

  assert.deepEqual(answers.map(shared), [{ 'access-control-allow-origin': of(300) }, {}, {}]);
  assert.deepEqual(asked, [300]);
});

it('a function as cors.origin is called once for a request, also if plugins see the response and it gets an ETag', async () => {
  let calls = 0;
  const endpoint = createEndpoint({
    cors: { origin: () => (calls++, true) },
    context: ({ response }) => (response.headers.set('cache-control', 'public, max-age=60'), {}),
    plugins: [{ request: after(() => {}) }],
  });

  const response = await endpoint.send(plainRequest({ query: 'query={hello}', headers: [['Origin', asking]] }));

  assert.ok(response.headers.get('etag'));
  assert.equal(response.headers.get('access-control-allow-origin'), asking);
  assert.equal(calls, 1);
});
