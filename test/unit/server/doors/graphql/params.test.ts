import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createEndpoint } from '../../../../support/endpoint.ts';
import { get, json, plainRequest, post } from '../../../../support/plain-http.ts';

const hello = { data: { hello: 'Hello, world!' } };

describe('parameters of a GET', () => {
  /** Query strings as they are sent, and the argument of hello(). */
  const greetings: Readonly<Record<string, string>> = {
    'query={hello(name:"a+b")}': 'Hello, a b!',
    'query={hello(name:"a%2Bb")}': 'Hello, a+b!',
    'query={hello(name:"a%26b%3Dc%23")}': 'Hello, a&b=c#!',
    'query={hello(name:"%2525")}': 'Hello, %25!',
    'query=%7Bhello(name%3A%22%F0%9F%A6%8A%22)%7D': 'Hello, 🦊!',
    '%71uery={hello(name:"x")}': 'Hello, x!',
    'a=1&a=2&query={hello}&unknown[]=3&=4&&': 'Hello, world!',
    'query={hello}&variables=&operationName=&extensions=': 'Hello, world!',
    'query={hello}&variables&operationName': 'Hello, world!',
    'query=query($n:String){hello(name:$n)}&variables={"n":"a%2Bb+c"}': 'Hello, a+b c!',
    'query=query A{hello(name:"a")} query null{hello(name:"b")}&operationName=null': 'Hello, b!',
    'query={hello}&toString=1&__proto__=2&constructor=3': 'Hello, world!',
    '%=1&utm_%E0%A4%A=1&query={hello}&utm_source=%E0%A4%A': 'Hello, world!',
  };
  for (const [query, greeting] of Object.entries(greetings)) {
    it(`${query} is answered with ${greeting}`, async () => {
      const response = await createEndpoint().send(plainRequest({ query }));

      assert.deepEqual(json(response), { data: { hello: greeting } });
    });
  }

  const refused: readonly string[] = [
    '',
    'query=',
    'query={hello}&query={hello}',
    'query={hello}&%71uery={hello}',
    'query={hello}&variables={',
    'query={hello}&variables=7',
    'query={hello}&extensions=false',
    'query={hello}&variables=[]',
    'query=%',
    'query=%ff',
    'query=%ed%a0%80',
    'query=query A{hello}&operationName=null',
    'query=query A{hello} query B{hello}&operationName=',
  ];
  for (const query of refused) {
    it(`${query || '(nothing)'} is refused and runs nothing (Yoga: 500)`, async () => {
      const endpoint = createEndpoint();

      const response = await endpoint.send(plainRequest({ query }));

      const isDecoded = !/=%(?:$|7$|zz|ff|c0|ed)/.test(query);
      assert.equal(response.status, isDecoded ? 422 : 400);
      assert.ok(json(response).errors[0].message.length > 0);
      assert.deepEqual(endpoint.runs, []);
    });
  }

  it('too many parameters are 422, without parsing the query string', async () => {
    const response = await createEndpoint().send(plainRequest({ query: `query={hello}${'&'.repeat(100_000)}` }));

    assert.equal(response.status, 422);
    assert.equal(json(response).errors[0].message, 'Expected a query string of at most 1000 parameters, got more.');
  });

  it('a query string of the maximum length runs, one character more is 414', async () => {
    const query = 'query={hello}';
    const endpoint = createEndpoint({ maxBodyBytes: query.length });

    const within = await endpoint.send(plainRequest({ query }));
    const beyond = await endpoint.send(plainRequest({ query: `${query}&` }));

    assert.deepEqual([within.status, beyond.status], [200, 414]);
  });

  it('a body is not read', async () => {
    const request = post({ query: '{ explode }' }, { method: 'GET', query: 'query={hello}' });

    assert.deepEqual(json(await createEndpoint().send(request)), hello);
  });
});

describe('parameters of a POST', () => {
  it('the query string is not read', async () => {
    const response = await createEndpoint().send(post({ query: '{ hello }' }, { query: 'query={explode}&operationName=x' }));

    assert.deepEqual(json(response), hello);
  });

  it('a refusal says what was expected and what was received', async () => {
    const messages: readonly (readonly [body: unknown, message: string])[] = [
      [{ query: 7 }, 'Expected "query" to be a string, got 7.'],
      [{ query: '{ hello }', variables: [1, 2] }, 'Expected "variables" to be a JSON object, got an array of 2.'],
      [{ query: '{ hello }', operationName: {} }, 'Expected "operationName" to be a string, got an object.'],
      ['null', 'Expected an operation request to be a JSON object like { "query": "{ … }" }, got null.'],
      ['"x"', 'Expected an operation request to be a JSON object like { "query": "{ … }" }, got "x".'],
      ...[null, 1, { name: { toString: 1, valueOf: 1 } }, { name: 'x'.repeat(10_000) }].map(
        (constructor) => [{ query: { constructor } }, 'Expected "query" to be a string, got an object.'] as const,
      ),
    ];
    for (const [body, message] of messages) assert.equal(json(await createEndpoint().send(post(body))).errors[0].message, message);
  });

  for (const name of ['query', 'operationName', 'variables', 'extensions', 'onError'])
    it(`0 and false are no ${name}, but empty text counts as absent`, async () => {
      const ask = async (value: unknown): Promise<any> => json(await createEndpoint().send(post({ query: '{ hello }', [name]: value })));

      for (const value of [0, false])
        assert.match((await ask(value)).errors[0].message, new RegExp(`^Expected "${name}" to be .*, got ${value}\\.$`));
      if (name !== 'query') assert.deepEqual(await ask(''), hello);
    });
});

describe('variables', () => {
  it('of the maximum depth run, one level more is 422', async () => {
    const nested = (levels: number): object => (levels === 1 ? {} : { and: nested(levels - 1) });
    const endpoint = createEndpoint();
    const query = 'query ($f: Filter) { books(filter: $f) { title } }';

    // The text of a body of more than 64 KiB is read for this before it is parsed.
    for (const padding of ['', 'x'.repeat(70_000)]) {
      const [within, beyond] = [199, 200].map((levels) => ({ padding, query, variables: { f: nested(levels) } }));

      const alone = [await endpoint.send(post(within!)), await endpoint.send(post(beyond!))];
      const batch = json(await endpoint.send(post([within!, beyond!])));

      assert.deepEqual(
        alone.map(({ status }) => status),
        [200, 422],
      );
      assert.deepEqual(batch.map((one: any) => one.errors?.[0].message ?? 'answered'), ['answered', 'Expected "variables" to nest at most 200 levels deep, got more.']); // prettier-ignore
    }
  });

  for (const name of ['variables', 'extensions']) {
    it(`in the ${name} of a GET are counted before they are parsed`, async () => {
      const endpoint = createEndpoint({ maxBodyBytes: 100_000 });
      const padding = 'x'.repeat(66_000);
      const value = (containers: number): string =>
        `{"padding":"${padding}","x":[${Array.from({ length: containers - 2 }, () => '{}').join(',')}]}`;

      const within = await endpoint.send(get({}, { query: `query={hello}&${name}=${value(4000)}` }));
      const beyond = await endpoint.send(get({}, { query: `query={hello}&${name}=${value(5001)}` }));

      assert.deepEqual([within.status, beyond.status], [200, 422]);
      assert.equal(json(beyond).errors[0].message, 'Expected a request of at most 5000 objects and lists, got more.');
    });
  }

  it('can have one object or list for each 20 bytes of the largest body, in total for a batch', async () => {
    const endpoint = createEndpoint({ maxBodyBytes: 1000 });
    const query = 'query ($x: [Int!]!) { sum(numbers: $x) }';
    const element = (containers: number): object => ({
      query,
      variables: { x: [1], y: Array.from({ length: containers - 3 }, () => ({})) },
    });

    const within = await endpoint.send(post(element(50)));
    const beyond = await endpoint.send(post(element(51)));
    const batch = await endpoint.send(post([element(40), element(40)]));

    assert.deepEqual([within.status, beyond.status, batch.status], [200, 422, 200]);
    const [first, second] = json(batch);
    assert.deepEqual(first, { data: { sum: 1 } });
    assert.match(second.errors[0].message, /^Expected the variables of a request to have at most 50 objects and lists, got more\.$/);
  });
});

for (const [name, body] of Object.entries({
  documentId: { documentId: 'books' },
  doc_id: { doc_id: 'books' },
  'extensions.documentId': { extensions: { documentId: 'books' } },
}))
  it(`a document id as ${name} is refused without trustedDocuments, and the message names it`, async () => {
    const [{ message }] = json(await createEndpoint().send(post(body))).errors;

    const expected = `Expected "query" to be the text of a GraphQL document, but it is missing. This server has no trusted documents that "${name}" could name.`;
    assert.equal(message, expected);
  });
