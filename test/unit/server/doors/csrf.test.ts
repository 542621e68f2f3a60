import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { createEndpoint } from '../../../support/endpoint.ts';
import { json, plainRequest, post } from '../../../support/plain-http.ts';
import type { PlainRequest } from '../../../support/plain-http.ts';

/** Written from the interface's table, not from the code: if the two disagree, one of them is wrong. */
type Verdict = 'run' | 'forgery' | 'unsupported';

interface Cell {
  readonly method: 'GET' | 'POST' | 'QUERY';
  readonly contentType: 'json' | 'safelisted' | 'none' | 'other';
  readonly header: boolean;
  /** csrfPrevention true, false, unset with a same-site request, unset with a request that the browser marks as cross-site. */
  readonly verdicts: readonly [on: Verdict, off: Verdict, unset: Verdict, foreign: Verdict];
}

const cells: readonly Cell[] = [
  { method: 'POST', contentType: 'json', header: true, verdicts: ['run', 'run', 'run', 'run'] },
  { method: 'POST', contentType: 'json', header: false, verdicts: ['run', 'run', 'run', 'run'] },
  { method: 'POST', contentType: 'safelisted', header: false, verdicts: ['forgery', 'unsupported', 'unsupported', 'forgery'] },
  { method: 'POST', contentType: 'none', header: false, verdicts: ['forgery', 'unsupported', 'unsupported', 'forgery'] },
  { method: 'POST', contentType: 'safelisted', header: true, verdicts: ['unsupported', 'unsupported', 'unsupported', 'unsupported'] },
  { method: 'POST', contentType: 'none', header: true, verdicts: ['unsupported', 'unsupported', 'unsupported', 'unsupported'] },
  { method: 'POST', contentType: 'other', header: false, verdicts: ['unsupported', 'unsupported', 'unsupported', 'forgery'] },
  { method: 'POST', contentType: 'other', header: true, verdicts: ['unsupported', 'unsupported', 'unsupported', 'unsupported'] },
  { method: 'GET', contentType: 'none', header: true, verdicts: ['run', 'run', 'run', 'run'] },
  { method: 'GET', contentType: 'none', header: false, verdicts: ['forgery', 'run', 'run', 'forgery'] },
  { method: 'GET', contentType: 'json', header: true, verdicts: ['run', 'run', 'run', 'run'] },
  { method: 'GET', contentType: 'json', header: false, verdicts: ['run', 'run', 'run', 'run'] },
  { method: 'GET', contentType: 'safelisted', header: false, verdicts: ['forgery', 'unsupported', 'unsupported', 'forgery'] },
  { method: 'GET', contentType: 'safelisted', header: true, verdicts: ['unsupported', 'unsupported', 'unsupported', 'unsupported'] },
  { method: 'GET', contentType: 'other', header: false, verdicts: ['unsupported', 'unsupported', 'unsupported', 'forgery'] },
  { method: 'GET', contentType: 'other', header: true, verdicts: ['unsupported', 'unsupported', 'unsupported', 'unsupported'] },
  { method: 'QUERY', contentType: 'json', header: false, verdicts: ['run', 'run', 'run', 'run'] },
  { method: 'QUERY', contentType: 'json', header: true, verdicts: ['run', 'run', 'run', 'run'] },
  { method: 'QUERY', contentType: 'safelisted', header: false, verdicts: ['unsupported', 'unsupported', 'unsupported', 'unsupported'] },
  { method: 'QUERY', contentType: 'safelisted', header: true, verdicts: ['unsupported', 'unsupported', 'unsupported', 'unsupported'] },
  { method: 'QUERY', contentType: 'none', header: false, verdicts: ['unsupported', 'unsupported', 'unsupported', 'unsupported'] },
  { method: 'QUERY', contentType: 'none', header: true, verdicts: ['unsupported', 'unsupported', 'unsupported', 'unsupported'] },
  { method: 'QUERY', contentType: 'other', header: false, verdicts: ['unsupported', 'unsupported', 'unsupported', 'unsupported'] },
  { method: 'QUERY', contentType: 'other', header: true, verdicts: ['unsupported', 'unsupported', 'unsupported', 'unsupported'] },
];

/** Several spellings of each class: the decision depends on the essence as the WHATWG standard parses it, never on a prefix or a substring. */
const contentTypes: Readonly<Record<Cell['contentType'], readonly (readonly string[])[]>> = {
  json: [
    ['application/json'],
    ['APPLICATION/JSON'],
    ['application/json ; charset=utf-8'],
    ['  application/json  '],
    ['application/json; charset='],
    ['application/json; charset'],
    ['application/json; profile="a;charset=utf-16"'],
    ['application/json; x="\\""'],
  ],
  safelisted: [
    ['text/plain'],
    ['TEXT/PLAIN'],
    ['text/plain; application/json'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
  ],
  none: [[]],
  other: [
    [''],
    ['application/jsonp'],
    ['application/json, text/plain'],
    ['application/json', 'application/json'],
    ['text/plain', 'application/json'],
    ['application/graphql+json'],
    ['application/'],
    ['application/ json'],
    ['"application/json"'],
    ['*/*'],
    ['x'.repeat(5000)],
  ],
};

const settings = [
  { name: 'true', options: { csrfPrevention: true }, headers: [] },
  { name: 'false', options: { csrfPrevention: false }, headers: [['sec-fetch-site', 'cross-site']] },
  { name: 'unset', options: {}, headers: [] },
  { name: 'unset and the browser says cross-site', options: {}, headers: [['Sec-Fetch-Site', 'cross-site']] },
] as const satisfies readonly { name: string; options: Partial<ServerOptions>; headers: PlainRequest['headers'] }[];

for (const [index, setting] of settings.entries()) {
  describe(`CSRF table, csrfPrevention ${setting.name}`, () => {
    for (const cell of cells) {
      for (const values of contentTypes[cell.contentType]) {
        const verdict = cell.verdicts[index]!;
        it(`${cell.method} with content-type ${shown(values)} and ${cell.header ? 'a' : 'no'} listed header: ${verdict}`, async () => {
          const endpoint = createEndpoint(setting.options);
          const listed: PlainRequest['headers'] = cell.header ? [['Vendor-Require-Preflight', 'yes']] : [];

          const response = await endpoint.send(requestOf(cell.method, [...contentTypeFields(values), ...listed, ...setting.headers]));

          assertVerdict(verdict, response, endpoint.runs);
        });
      }
    }
  });
}

describe('the listed headers', () => {
  for (const name of ['X-Vendor-Operation-Name', 'Vendor-Require-Preflight', 'x-apollo-operation-name', 'APOLLO-REQUIRE-PREFLIGHT']) {
    for (const [value, verdict] of [
      ['x', 'run'],
      ['', 'forgery'],
      [' \t', 'forgery'],
    ] as const) {
      it(`allow a GET only if they are not empty: ${name} with ${JSON.stringify(value)}: ${verdict}`, async () => {
        const endpoint = createEndpoint({ csrfPrevention: true });

        assertVerdict(verdict, await endpoint.send(requestOf('GET', [[name, value]])), endpoint.runs);
      });
    }
  }
});

describe('Sec-Fetch-Site of a browser, csrfPrevention unset', () => {
  const sites = { 'cross-site': 400, 'same-site': 400, 'same-origin': 200, none: 200, nonsense: 200 };
  for (const [site, status] of Object.entries(sites)) {
    it(`a GET marked ${site} is answered with ${status}`, async () => {
      const endpoint = createEndpoint();

      const response = await endpoint.send(requestOf('GET', [['sec-fetch-site', site]]));

      assert.equal(response.status, status);
      assert.equal(endpoint.runs.length, status === 200 ? 1 : 0);
    });
  }
});

it('the method is checked before CSRF and content type: a PUT of a form is 405', async () => {
  const response = await createEndpoint({ csrfPrevention: true }).send(requestOf('PUT', [['content-type', 'text/plain']]));

  assert.equal(response.status, 405);
});

it('a mutation beside the query that operationName selects does not prevent a GET', async () => {
  const endpoint = createEndpoint();
  const query = new URLSearchParams({ query: 'query Read { hello } mutation Write { write }', operationName: 'Read' }).toString();

  const response = await endpoint.send(requestOf('GET', [], { query }));

  assert.equal(response.status, 200);
  assert.deepEqual(endpoint.runs, ['hello']);
});

describe('a body that would have to be decoded', () => {
  const refused: readonly (readonly [string, string])[] = [
    ['content-type', 'application/json; charset=utf-16'],
    ['content-type', 'application/json; charset=utf-7'],
    ['content-type', "application/json; charset='utf-8'"],
    ['content-encoding', 'gzip'],
    ['content-encoding', 'identity, gzip'],
  ];
  for (const [name, value] of refused) {
    // A content type with a parameter is read in another way than the usual one.
    for (const contentType of name === 'content-type' ? [value] : ['application/json', 'application/json; charset=utf-8']) {
      it(`${name}: ${value} is 415 and runs nothing${name === 'content-type' ? '' : `, beside ${contentType}`}`, async () => {
        const endpoint = createEndpoint({ csrfPrevention: true });
        const fields: PlainRequest['headers'] = [
          ['content-type', contentType],
          ...(name === 'content-type' ? [] : [[name, value] as const]),
        ];

        const response = await endpoint.send(requestOf('POST', fields));

        assertVerdict('unsupported', response, endpoint.runs);
        // RFC 9110 section 15.5.16: the response names the encoding that would have been accepted.
        assert.equal(response.headers.get('accept-encoding'), name === 'content-encoding' ? 'identity' : undefined);
      });
    }
  }

  for (const [name, value] of [
    ['content-type', 'application/json; charset=utf8'],
    ['content-encoding', 'Identity'],
  ] as const)
    it(`${name}: ${value} needs no decoding`, async () => {
      const endpoint = createEndpoint({ csrfPrevention: true });

      const response = await endpoint.send({
        ...post({ query: '{ hello }' }),
        headers: Object.entries({ 'content-type': 'application/json', [name]: value }),
      });

      assertVerdict('run', response, endpoint.runs);
    });

  it('a 415 quotes at most the first 80 characters of a content type, and the first 20 of a charset', async () => {
    const messageFor = async (contentType: string): Promise<string> => {
      const response = await createEndpoint().send(requestOf('POST', [['content-type', contentType]]));
      return JSON.parse(response.body!).errors[0].message;
    };

    assert.equal(
      await messageFor('Application/GraphQL; charset=utf-8'),
      'Expected content-type application/json, got application/graphql.',
    );
    assert.equal(await messageFor(`text/${'x'.repeat(100)}`), `Expected content-type application/json, got text/${'x'.repeat(75)}.`);
    assert.equal(await messageFor(`application/json; charset=a${'x'.repeat(40)}`), `Expected charset utf-8, got a${'x'.repeat(19)}.`);
  });
});

function requestOf(method: string, headers: PlainRequest['headers'], fields: Partial<PlainRequest> = {}): PlainRequest {
  const content = method === 'GET' ? { query: 'query=%7Bhello%7D' } : { body: '{"query":"{ hello }"}' };
  return plainRequest({ method, headers, ...content, ...fields });
}

function contentTypeFields(values: readonly string[]): PlainRequest['headers'] {
  return values.map((value, index) => [index === 0 ? 'Content-Type' : 'content-type', value]);
}

function shown(values: readonly string[]): string {
  return values.length === 0 ? 'absent' : values.map((value) => JSON.stringify(value.slice(0, 60))).join(' and ');
}

function assertVerdict(
  verdict: Verdict,
  response: Awaited<ReturnType<ReturnType<typeof createEndpoint>['send']>>,
  runs: readonly string[],
): void {
  assert.equal(response.status, { run: 200, forgery: 400, unsupported: 415 }[verdict]);
  assert.deepEqual(runs, verdict === 'run' ? ['hello'] : []);
  const { data, errors } = json(response);
  if (verdict === 'run') {
    assert.deepEqual(data, { hello: 'Hello, world!' });
    return;
  }
  assert.equal(data, undefined);
  assert.equal(errors[0].extensions.code, 'BAD_REQUEST');
  assert.match(
    errors[0].message,
    verdict === 'forgery' ? /cross-site request forgery/ : /^Expected (?:content-type|charset|a body without content-encoding)/,
  );
}
