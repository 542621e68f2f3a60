/** Whatever a plugin does wrong in a stage ends in an error of its operation. The log, or outside of production the answer, names plugin and stage. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GraphQLError } from 'graphql';

import { createHandler } from '../../../../src/entries/fetch.ts';
import { incrementalDelivery } from '../../../../src/entries/incremental.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { mcp, mcpDefinitions } from '../../../../src/entries/mcp.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { unhandledRejections } from '../../../support/unhandled-rejections.ts';

// Any: a careless plugin has no types.
type Next = (given?: unknown) => Promise<any>;
type Enter = (next: Next) => unknown;

const stages = ['request', 'operation', 'document', 'execution', 'payload'] as const;
type Stage = (typeof stages)[number];

/** Changes the outcome of `next`. The end of a stream, which has none, is passed on. */
const changed =
  (change: (outcome: any) => unknown): Enter =>
  async (next) => {
    const outcome = await next();
    return outcome === undefined ? undefined : change(outcome);
  };
/** Removes or replaces the members that the outcomes of stages have. */
const withMembers = (value: unknown): Enter =>
  changed((outcome) => {
    const replaced = { ...outcome };
    for (const name of ['headers', 'body', 'result', 'errors', 'head']) if (name in outcome) replaced[name] = value;
    return replaced;
  });
const thrown = (value: unknown): Enter => {
  return () => {
    throw value;
  };
};

const behaviors: Readonly<Record<string, Enter>> = {
  'returns nothing': () => undefined,
  'returns nothing after next': changed(() => undefined),
  'returns null': () => null,
  'returns null after next': changed(() => null),
  'returns a text': async () => 'text',
  'returns a function': async () => () => undefined,
  'returns a list': changed((outcome) => [outcome]),
  'returns an empty object': async () => ({}),
  'returns an empty object after next': changed(() => ({})),
  'returns a promise that is not awaited inside of an object': changed(() => ({ outcome: Promise.resolve(1) })),
  'sets all members to undefined': withMembers(undefined),
  'sets all members to null': withMembers(null),
  'sets all members to a number': withMembers(5),
  'sets all members to a list of a text': withMembers(['text']),
  'sets all members to an object in place': changed((outcome) => {
    for (const name of Object.keys(outcome)) outcome[name] = {};
    return outcome;
  }),
  'deletes all members': changed((outcome) => {
    for (const name of Object.keys(outcome)) delete outcome[name];
    return outcome;
  }),
  'returns members that throw when they are read': changed((outcome) =>
    Object.defineProperty({}, 'errors' in outcome ? 'errors' : 'body', {
      enumerable: true,
      get: () => {
        throw new Error('not yet');
      },
    }),
  ),
  'throws nothing': thrown(undefined),
  'throws a text': thrown('text'),
  'throws an object': thrown({ message: 'text' }),
  'throws an Error': thrown(new Error('broken')),
  'rejects with nothing after next': async (next) => {
    await next();
    await Promise.reject();
  },
  'throws an Error and does not wait for next': (next) => {
    void next();
    throw new Error('broken');
  },
  'calls next twice': async (next) => (await next(), next()),
  'calls next twice, and does not wait for the second': async (next) => {
    const outcome = await next();
    void next();
    return outcome;
  },
  'calls next twice at once': async (next) => (await Promise.all([next(), next()]))[0],
  'calls next twice, and waits for neither': async (next) => {
    void next();
    void next();
    return undefined;
  },
  'calls next with a text': (next) => next('text'),
  'calls next with a number': (next) => next(5),
};

const requests: Readonly<Record<string, { readonly body: object; readonly accept?: string; readonly path?: string }>> = {
  POST: { body: { query: '{ a }' } },
  batch: { body: [{ query: '{ a }' }, { query: '{ b }' }] },
  stream: { body: { query: 'subscription { a: ticks }' }, accept: 'text/event-stream' },
  part: { body: { query: '{ b ... @defer { a } }' }, accept: 'multipart/mixed; deferSpec=20220824' },
  refused: { body: { query: '{ a nope }' } },
  MCP: {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'GetA', arguments: {} } },
    accept: 'application/json, text/event-stream',
    path: '/mcp',
  },
};
type Kind = keyof typeof requests;

/** The kinds of requests that enter a stage. */
const entered: Readonly<Record<Stage, readonly Kind[]>> = {
  request: ['POST', 'batch', 'stream', 'part', 'refused', 'MCP'],
  operation: ['POST', 'batch', 'stream', 'part', 'refused', 'MCP'],
  document: ['POST', 'batch', 'stream', 'part', 'refused', 'MCP'],
  execution: ['POST', 'batch', 'stream', 'part', 'MCP'],
  payload: ['stream', 'part'],
};

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

async function send(stage: Stage | 'admit', enter: Enter, kind: Kind): Promise<{ readonly body: string; readonly log: string }> {
  const [logger, lines] = recordingLogger();
  // Of a batch, the other element is left alone.
  const isCareless = (subject: { request: { query?: string } }): boolean =>
    stage === 'request' || /\ba\b/.test(subject.request.query ?? 'a');
  const plugin = {
    [stage]: (subject: any, next: Next) => (isCareless(subject) ? enter(next) : next()),
  } as ServerPlugin;
  const handler = createHandler({
    nodeEnv: 'production',
    typeDefs: [mcpDefinitions, 'type Query { a: String b: String } type Subscription { ticks: String }'],
    resolvers: {
      Query: { a: async () => 'secret', b: () => 'b' },
      Subscription: {
        ticks: {
          async *subscribe() {
            yield { ticks: 'secret' };
            yield { ticks: 'secret' };
          },
        },
      },
    },
    incrementalDelivery: incrementalDelivery(),
    trustedDocuments: { documents: { GetA: 'query GetA @mcpTool(name: "GetA", description: "A") { a }' } },
    logger,
    plugins: [plugin, mcp({ name: 'shop', version: '1' })],
  });
  const { body, accept = 'application/json', path = '/graphql' } = requests[kind]!;
  const headers = { 'content-type': 'application/json', accept };
  let text = 'It hangs.';
  const unhandled = await unhandledRejections(async () => {
    const request = new Request(`https://api.example${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const answering = handler.fetch(request).then((response) => response.text());
    text = await Promise.race([answering, turns(200).then(() => text)]);
  });
  assert.equal(unhandled, 0);
  return { body: text, log: lines.map(({ message, details }) => [message, ...details.map(String)].join(' ')).join('\n') };
}

for (const stage of stages)
  describe(`a plugin that is careless in the stage ${stage}`, () => {
    for (const [behavior, enter] of Object.entries(behaviors))
      for (const kind of entered[stage])
        test(`and ${behavior}: ${kind}`, async () => {
          // `next` of the other stages takes nothing.
          const isHarmless = behavior.startsWith('calls next with') && stage !== 'request' && stage !== 'execution';

          const { body, log } = await send(stage, enter, kind);

          if (isHarmless) return;
          assert.doesNotMatch(body, /secret/);
          assert.match(body, /Internal server error|Cannot query field/);
          if (kind === 'batch' && stage !== 'request') assert.match(body, /\{"data":\{"b":"b"\}\}/);
          if (kind !== 'refused' || !body.includes('Cannot query field'))
            assert.match(log, new RegExp(`the stage ${stage} of plugins\\[0\\]`));
        });
  });

for (const behavior of Object.keys(behaviors).filter((one) => one.startsWith('throws')))
  test(`a plugin that ${behavior} in admit is named in the log`, async () => {
    const { body, log } = await send('admit', behaviors[behavior]!, 'POST');

    assert.match(body, /Internal server error/);
    assert.match(log, /admit of plugins\[0\]/);
  });

test('an error that a plugin throws on purpose is passed on as it is', async () => {
  const { body, log } = await send('execution', thrown(new GraphQLError('Not you.', { extensions: { code: 'FORBIDDEN' } })), 'POST');

  assert.deepEqual(JSON.parse(body), { errors: [{ message: 'Not you.', extensions: { code: 'FORBIDDEN' } }] });
  assert.equal(log, '');
});

test('a stage that ends a stream without next has its outcome sent last', async () => {
  const own = { result: { data: { a: 'own' } }, errors: [] };

  const stream = await send('payload', async () => own, 'stream');

  assert.deepEqual(stream.body.match(/data: .+/g), ['data: {"data":{"a":"own"}}']);
});
