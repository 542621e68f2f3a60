import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { GraphQLError } from 'graphql';

import { createHandler } from '../../../../src/entries/fetch.ts';
import { HeaderMap } from '../../../../src/entries/index.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

type Next = (given?: unknown) => Promise<any>;
type Enter = (subject: any, next: Next) => unknown;

const stages = ['request', 'operation', 'document', 'execution', 'payload'] as const;
type Stage = (typeof stages)[number];

const requests: Readonly<Record<string, object>> = {
  single: { query: '{ a }' },
  batch: [{ query: '{ a }' }, { query: '{ b }' }],
  stream: { query: 'subscription { a: ticks }' },
  refused: { query: '{ a nope }' },
};
type Kind = keyof typeof requests;

/** An answer that a plugin makes itself. */
const own: Readonly<Record<Stage, (subject: any) => unknown>> = {
  request: () => ({ status: 418, headers: new HeaderMap({ 'content-type': 'text/plain' }), body: 'own' }),
  operation: outcomeOf,
  document: () => ({ source: undefined, document: undefined, errors: [new GraphQLError('own')] }),
  execution: outcomeOf,
  payload: () => ({ result: { data: { a: 'own' } }, errors: [] }),
};

function outcomeOf({ response }: { readonly response: unknown }): object {
  return { result: { data: { a: 'own' } }, errors: [], head: response, operation: undefined, document: undefined, source: undefined };
}

const forever = (): Promise<never> => new Promise(() => {});

const behaviors: Readonly<Record<string, (stage: Stage) => Enter>> = {
  'passes on': () => (_subject, next) => next(),
  'throws before next': () => () => {
    throw new GraphQLError('No.');
  },
  'throws after next': () => async (_subject, next) => {
    await next();
    throw new GraphQLError('No.');
  },
  'returns nothing': () => async (_subject, next) => void (await next()),
  'does not wait for next, and returns nothing': () => async (_subject, next) => void next(),
  'calls next twice': () => async (_subject, next) => (await next(), next()),
  'answers without next': (stage) => async (subject) => own[stage](subject),
  'answers after next': (stage) => async (subject, next) => ((await next()) === undefined ? undefined : own[stage](subject)),
  'hangs before next': () => forever,
  'hangs after next': () => async (_subject, next) => (await next(), forever()),
  'hangs after next, and only watches': () => async (_subject, next) => (await next(), forever()),
};

type Cells = Readonly<Record<Kind, string>>;

const notValid =
  '422 {errors:[{message:"Cannot query field \\"nope\\" on type \\"Query\\".",extensions:{code:"GRAPHQL_VALIDATION_FAILED"}}]}; 0 ran';
const untouched: Cells = {
  single: '200 {data:{a:"x"}}; 1 ran',
  batch: '200 [{data:{a:"x"}},{data:{b:"x"}}]; 2 ran',
  stream: '200 {data:{a:"x"}} {data:{a:"x"}}; 2 ran',
  refused: notValid,
};

/** The cells if the plugin's own result, or its error, is the outcome of the stage. `ran`: the resolvers of `a` that have run by then. */
function replaced(stage: Stage, result: string, { status, ran }: { readonly status: number; readonly ran: 0 | 1 }): Cells {
  if (stage === 'request') {
    const all = [ran, ran * 2, 0, 0].map((count) => `${status} ${result}; ${count} ran`);
    return Object.fromEntries(Object.keys(requests).map((kind, at) => [kind, all[at]!]));
  }
  if (stage === 'payload') return { ...untouched, stream: `200 ${result}; ${ran} ran` };
  const before = stage === 'document' ? 0 : ran;
  return {
    single: `${status} ${result}; ${before} ran`,
    batch: `200 [${result},{data:{b:"x"}}]; ${before + 1} ran`,
    stream: `200 ${result}; 0 ran`,
    refused: stage === 'execution' ? notValid : `${status} ${result}; 0 ran`,
  };
}

function failed(stage: Stage, message: string, ran: 0 | 1): Cells {
  return replaced(stage, `{errors:[{message:"${message}",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}`, { status: 500, ran });
}

/** A GraphQLError of the plugin: in the stage `document` it refuses the document. */
function refusedBy(stage: Stage, message: string, ran: 0 | 1): Cells {
  if (stage !== 'document') return failed(stage, message, ran);
  const result = `{errors:[{message:"${message}",extensions:{code:"GRAPHQL_VALIDATION_FAILED"}}]}`;
  return replaced(stage, result, { status: 422, ran });
}

/** What a stage must return, in messages. */
const outcomes: Readonly<Record<Stage, string>> = {
  request: 'a response { status, headers, body } whose body is a string, a stream or null, which the statuses 204, 205 and 304 require',
  operation: 'the outcome of next() or { ...outcome, result, errors }',
  document: 'the outcome of next() or { ...outcome, errors }',
  execution: 'the outcome of next() or { ...outcome, result, errors }',
  payload: 'the outcome of next() or { result, errors }',
};

const lost = (stage: Stage, ran: 0 | 1): Cells => {
  const mayHaveRun = stage === 'request' || stage === 'payload' || (ran === 1 && stage !== 'document');
  const message = `The deadline of the request passed before this ${mayHaveRun ? 'was finished. It may have run.' : 'could run.'}`;
  return replaced(stage, `{errors:[{message:"${message}",extensions:{code:"DEADLINE_EXCEEDED"}}]}`, { status: 504, ran });
};

/** What the client gets for each kind of request, and how many resolvers have run. */
const table: Readonly<Record<string, (stage: Stage) => Cells>> = {
  'passes on': () => untouched,
  'throws before next': (stage) => refusedBy(stage, 'No.', 0),
  'throws after next': (stage) => refusedBy(stage, 'No.', 1),
  'returns nothing': (stage) => failed(stage, `Expected the stage ${stage} of plugins[0] to return ${outcomes[stage]}, got undefined.`, 1),
  'does not wait for next, and returns nothing': (stage) =>
    failed(stage, `Expected the stage ${stage} of plugins[0] to return ${outcomes[stage]}, got undefined.`, 1),
  'calls next twice': (stage) => failed(stage, `Expected the stage ${stage} of plugins[0] to call next() once, but it called it twice.`, 1),
  'answers without next': (stage) => answeredBy(stage, 0),
  'answers after next': (stage) => answeredBy(stage, 1),
  'hangs before next': (stage) => lost(stage, 0),
  'hangs after next': (stage) => lost(stage, 1),
  // By then a stream is over.
  'hangs after next, and only watches': (stage) => ({ ...(stage === 'document' ? lost(stage, 0) : untouched), stream: lateStream(stage) }),
};

function lateStream(stage: Stage): string {
  const { stream } = lost(stage === 'document' ? 'document' : 'payload', 0);
  return stage === 'payload' ? stream!.replace('200 ', '200 {data:{a:"x"}} ').replace('0 ran', '1 ran') : stream!;
}

function answeredBy(stage: Stage, ran: 0 | 1): Cells {
  if (stage === 'request') return replaced(stage, 'own', { status: 418, ran });
  // The reason why a document is not valid is not replaced.
  if (stage === 'document') return { ...refusedBy(stage, 'own', ran), ...(ran === 1 && { refused: notValid }) };
  // A stage that did not call `next` ends the stream.
  if (stage === 'payload')
    return { ...untouched, stream: ran === 0 ? '200 {data:{a:"own"}}; 0 ran' : '200 {data:{a:"own"}} {data:{a:"own"}}; 2 ran' };
  return replaced(stage, '{data:{a:"own"}}', { status: 200, ran });
}

async function send(t: TestContext, { stage, behavior, kind }: { stage: Stage; behavior: string; kind: Kind }): Promise<string> {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.UTC(2026, 10, 27) });
  let runs = 0;
  const run = async (): Promise<string> => (runs++, 'x');
  const enter = behaviors[behavior]!(stage);
  const isMisbehaving = (subject: { request: { query?: string } }): boolean => stage === 'request' || /\ba\b/.test(subject.request.query!);
  const plugin = {
    onlyWatches: behavior.endsWith('only watches'),
    [stage]: async (subject: any, next: Next) => (isMisbehaving(subject) ? enter(subject, next) : next()),
  } as ServerPlugin;
  const handler = createHandler({
    nodeEnv: 'test',
    typeDefs: 'type Query { a: String b: String } type Subscription { ticks: String }',
    resolvers: {
      Query: { a: run, b: run },
      Subscription: {
        ticks: {
          async *subscribe() {
            yield { ticks: 1 };
            yield { ticks: 2 };
          },
          resolve: run,
        },
      },
    },
    logger: recordingLogger()[0],
    deadline: { ms: 1000, reserveMs: 500 },
    plugins: [plugin],
  });
  const headers = { 'content-type': 'application/json', ...(kind === 'stream' && { accept: 'text/event-stream' }) };
  const answering = handler
    .fetch(new Request('https://api.example/graphql', { method: 'POST', headers, body: JSON.stringify(requests[kind]) }))
    .then(async (response) => `${response.status} ${shorten(await response.text())}`);
  const answers: string[] = [];
  void answering.then((text) => answers.push(text));
  for (let turn = 0; turn < 1200 && answers.length === 0; turn++) {
    await new Promise(setImmediate);
    if (turn > 30) t.mock.timers.tick(1);
  }
  return `${answers[0] ?? 'nothing'}; ${runs} ran`;
}

function shorten(text: string): string {
  return text
    .replaceAll(/event: next\ndata: |event: complete\ndata: ?|^:\n\n/gm, '')
    .replaceAll(/"(\w+)":/g, '$1:')
    .replaceAll(/,?(?:locations|path):\[.*?\]\}?(?=[,}])/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

describe('a plugin', () => {
  for (const behavior of Object.keys(behaviors))
    for (const stage of stages)
      for (const kind of Object.keys(requests))
        test(`that ${behavior} in the stage ${stage} of a request: ${kind}`, async (t) => {
          assert.equal(await send(t, { stage, behavior, kind }), table[behavior]!(stage)[kind]);
        });
});
