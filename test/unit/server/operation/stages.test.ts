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
const titles: Readonly<Record<Kind, string>> = {
  single: 'a single request',
  batch: 'a batch',
  stream: 'a stream',
  refused: 'a request that is not valid',
};

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

const late: Cells = {
  single:
    '504 {errors:[{message:"The deadline of the request passed before this could run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 0 ran',
  batch:
    '200 [{errors:[{message:"The deadline of the request passed before this could run.",extensions:{code:"DEADLINE_EXCEEDED"}}]},{data:{b:"x"}}]; 1 ran',
  stream:
    '200 {errors:[{message:"The deadline of the request passed before this could run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 0 ran',
  refused:
    '504 {errors:[{message:"The deadline of the request passed before this could run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 0 ran',
};
/** The cells of a plugin that returns nothing, whether it waits for `next` or not. */
const nothing: Readonly<Record<Stage, Cells>> = {
  request: {
    single:
      '500 {errors:[{message:"Expected the stage request of plugins[0] to return a response { status, headers, body } whose body is a string, a stream or null, which the statuses 204, 205 and 304 require, got undefined.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 1 ran',
    batch:
      '500 {errors:[{message:"Expected the stage request of plugins[0] to return a response { status, headers, body } whose body is a string, a stream or null, which the statuses 204, 205 and 304 require, got undefined.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 2 ran',
    stream:
      '500 {errors:[{message:"Expected the stage request of plugins[0] to return a response { status, headers, body } whose body is a string, a stream or null, which the statuses 204, 205 and 304 require, got undefined.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
    refused:
      '500 {errors:[{message:"Expected the stage request of plugins[0] to return a response { status, headers, body } whose body is a string, a stream or null, which the statuses 204, 205 and 304 require, got undefined.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
  },
  operation: {
    single:
      '500 {errors:[{message:"Expected the stage operation of plugins[0] to return the outcome of next() or { ...outcome, result, errors }, got undefined.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 1 ran',
    batch:
      '200 [{errors:[{message:"Expected the stage operation of plugins[0] to return the outcome of next() or { ...outcome, result, errors }, got undefined.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]},{data:{b:"x"}}]; 2 ran',
    stream:
      '200 {errors:[{message:"Expected the stage operation of plugins[0] to return the outcome of next() or { ...outcome, result, errors }, got undefined.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
    refused:
      '500 {errors:[{message:"Expected the stage operation of plugins[0] to return the outcome of next() or { ...outcome, result, errors }, got undefined.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
  },
  document: {
    single:
      '500 {errors:[{message:"Expected the stage document of plugins[0] to return the outcome of next() or { ...outcome, errors }, got undefined.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
    batch:
      '200 [{errors:[{message:"Expected the stage document of plugins[0] to return the outcome of next() or { ...outcome, errors }, got undefined.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]},{data:{b:"x"}}]; 1 ran',
    stream:
      '200 {errors:[{message:"Expected the stage document of plugins[0] to return the outcome of next() or { ...outcome, errors }, got undefined.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
    refused:
      '500 {errors:[{message:"Expected the stage document of plugins[0] to return the outcome of next() or { ...outcome, errors }, got undefined.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
  },
  execution: {
    single:
      '500 {errors:[{message:"Expected the stage execution of plugins[0] to return the outcome of next() or { ...outcome, result, errors }, got undefined.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 1 ran',
    batch:
      '200 [{errors:[{message:"Expected the stage execution of plugins[0] to return the outcome of next() or { ...outcome, result, errors }, got undefined.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]},{data:{b:"x"}}]; 2 ran',
    stream:
      '200 {errors:[{message:"Expected the stage execution of plugins[0] to return the outcome of next() or { ...outcome, result, errors }, got undefined.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
    refused: notValid,
  },
  payload: {
    ...untouched,
    stream:
      '200 {errors:[{message:"Expected the stage payload of plugins[0] to return the outcome of next() or { result, errors }, got undefined.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 1 ran',
  },
};

/** What the client gets for each kind of request, and how many resolvers have run. */
const table: Readonly<Record<string, Readonly<Record<Stage, Cells>>>> = {
  'passes on': {
    request: untouched,
    operation: untouched,
    document: untouched,
    execution: untouched,
    payload: untouched,
  },
  'throws before next': {
    request: {
      single: '500 {errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
      batch: '500 {errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
      stream: '500 {errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
      refused: '500 {errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
    },
    operation: {
      single: '500 {errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
      batch: '200 [{errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]},{data:{b:"x"}}]; 1 ran',
      stream: '200 {errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
      refused: '500 {errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
    },
    document: {
      single: '422 {errors:[{message:"No.",extensions:{code:"GRAPHQL_VALIDATION_FAILED"}}]}; 0 ran',
      batch: '200 [{errors:[{message:"No.",extensions:{code:"GRAPHQL_VALIDATION_FAILED"}}]},{data:{b:"x"}}]; 1 ran',
      stream: '200 {errors:[{message:"No.",extensions:{code:"GRAPHQL_VALIDATION_FAILED"}}]}; 0 ran',
      refused: '422 {errors:[{message:"No.",extensions:{code:"GRAPHQL_VALIDATION_FAILED"}}]}; 0 ran',
    },
    execution: {
      single: '500 {errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
      batch: '200 [{errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]},{data:{b:"x"}}]; 1 ran',
      stream: '200 {errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
      refused: notValid,
    },
    payload: {
      ...untouched,
      stream: '200 {errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
    },
  },
  'throws after next': {
    request: {
      single: '500 {errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 1 ran',
      batch: '500 {errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 2 ran',
      stream: '500 {errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
      refused: '500 {errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
    },
    operation: {
      single: '500 {errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 1 ran',
      batch: '200 [{errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]},{data:{b:"x"}}]; 2 ran',
      stream: '200 {errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
      refused: '500 {errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
    },
    document: {
      single: '422 {errors:[{message:"No.",extensions:{code:"GRAPHQL_VALIDATION_FAILED"}}]}; 0 ran',
      batch: '200 [{errors:[{message:"No.",extensions:{code:"GRAPHQL_VALIDATION_FAILED"}}]},{data:{b:"x"}}]; 1 ran',
      stream: '200 {errors:[{message:"No.",extensions:{code:"GRAPHQL_VALIDATION_FAILED"}}]}; 0 ran',
      refused: '422 {errors:[{message:"No.",extensions:{code:"GRAPHQL_VALIDATION_FAILED"}}]}; 0 ran',
    },
    execution: {
      single: '500 {errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 1 ran',
      batch: '200 [{errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]},{data:{b:"x"}}]; 2 ran',
      stream: '200 {errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
      refused: notValid,
    },
    payload: {
      ...untouched,
      stream: '200 {errors:[{message:"No.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 1 ran',
    },
  },
  'returns nothing': nothing,
  'does not wait for next, and returns nothing': nothing,
  'calls next twice': {
    request: {
      single:
        '500 {errors:[{message:"Expected the stage request of plugins[0] to call next() once, but it called it twice.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 1 ran',
      batch:
        '500 {errors:[{message:"Expected the stage request of plugins[0] to call next() once, but it called it twice.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 2 ran',
      stream:
        '500 {errors:[{message:"Expected the stage request of plugins[0] to call next() once, but it called it twice.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
      refused:
        '500 {errors:[{message:"Expected the stage request of plugins[0] to call next() once, but it called it twice.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
    },
    operation: {
      single:
        '500 {errors:[{message:"Expected the stage operation of plugins[0] to call next() once, but it called it twice.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 1 ran',
      batch:
        '200 [{errors:[{message:"Expected the stage operation of plugins[0] to call next() once, but it called it twice.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]},{data:{b:"x"}}]; 2 ran',
      stream:
        '200 {errors:[{message:"Expected the stage operation of plugins[0] to call next() once, but it called it twice.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
      refused:
        '500 {errors:[{message:"Expected the stage operation of plugins[0] to call next() once, but it called it twice.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
    },
    document: {
      single:
        '500 {errors:[{message:"Expected the stage document of plugins[0] to call next() once, but it called it twice.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
      batch:
        '200 [{errors:[{message:"Expected the stage document of plugins[0] to call next() once, but it called it twice.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]},{data:{b:"x"}}]; 1 ran',
      stream:
        '200 {errors:[{message:"Expected the stage document of plugins[0] to call next() once, but it called it twice.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
      refused:
        '500 {errors:[{message:"Expected the stage document of plugins[0] to call next() once, but it called it twice.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
    },
    execution: {
      single:
        '500 {errors:[{message:"Expected the stage execution of plugins[0] to call next() once, but it called it twice.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 1 ran',
      batch:
        '200 [{errors:[{message:"Expected the stage execution of plugins[0] to call next() once, but it called it twice.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]},{data:{b:"x"}}]; 2 ran',
      stream:
        '200 {errors:[{message:"Expected the stage execution of plugins[0] to call next() once, but it called it twice.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 0 ran',
      refused: notValid,
    },
    payload: {
      ...untouched,
      stream:
        '200 {errors:[{message:"Expected the stage payload of plugins[0] to call next() once, but it called it twice.",extensions:{code:"INTERNAL_SERVER_ERROR"}}]}; 1 ran',
    },
  },
  'answers without next': {
    request: {
      single: '418 own; 0 ran',
      batch: '418 own; 0 ran',
      stream: '418 own; 0 ran',
      refused: '418 own; 0 ran',
    },
    operation: {
      single: '200 {data:{a:"own"}}; 0 ran',
      batch: '200 [{data:{a:"own"}},{data:{b:"x"}}]; 1 ran',
      stream: '200 {data:{a:"own"}}; 0 ran',
      refused: '200 {data:{a:"own"}}; 0 ran',
    },
    document: {
      single: '422 {errors:[{message:"own",extensions:{code:"GRAPHQL_VALIDATION_FAILED"}}]}; 0 ran',
      batch: '200 [{errors:[{message:"own",extensions:{code:"GRAPHQL_VALIDATION_FAILED"}}]},{data:{b:"x"}}]; 1 ran',
      stream: '200 {errors:[{message:"own",extensions:{code:"GRAPHQL_VALIDATION_FAILED"}}]}; 0 ran',
      refused: '422 {errors:[{message:"own",extensions:{code:"GRAPHQL_VALIDATION_FAILED"}}]}; 0 ran',
    },
    execution: {
      single: '200 {data:{a:"own"}}; 0 ran',
      batch: '200 [{data:{a:"own"}},{data:{b:"x"}}]; 1 ran',
      stream: '200 {data:{a:"own"}}; 0 ran',
      refused: notValid,
    },
    payload: {
      ...untouched,
      stream: '200 {data:{a:"own"}}; 0 ran',
    },
  },
  'answers after next': {
    request: {
      single: '418 own; 1 ran',
      batch: '418 own; 2 ran',
      stream: '418 own; 0 ran',
      refused: '418 own; 0 ran',
    },
    operation: {
      single: '200 {data:{a:"own"}}; 1 ran',
      batch: '200 [{data:{a:"own"}},{data:{b:"x"}}]; 2 ran',
      stream: '200 {data:{a:"own"}}; 0 ran',
      refused: '200 {data:{a:"own"}}; 0 ran',
    },
    document: {
      single: '422 {errors:[{message:"own",extensions:{code:"GRAPHQL_VALIDATION_FAILED"}}]}; 0 ran',
      batch: '200 [{errors:[{message:"own",extensions:{code:"GRAPHQL_VALIDATION_FAILED"}}]},{data:{b:"x"}}]; 1 ran',
      stream: '200 {errors:[{message:"own",extensions:{code:"GRAPHQL_VALIDATION_FAILED"}}]}; 0 ran',
      refused: notValid,
    },
    execution: {
      single: '200 {data:{a:"own"}}; 1 ran',
      batch: '200 [{data:{a:"own"}},{data:{b:"x"}}]; 2 ran',
      stream: '200 {data:{a:"own"}}; 0 ran',
      refused: notValid,
    },
    payload: {
      ...untouched,
      stream: '200 {data:{a:"own"}} {data:{a:"own"}}; 2 ran',
    },
  },
  'hangs before next': {
    request: {
      single:
        '504 {errors:[{message:"The deadline of the request passed before this was finished. It may have run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 0 ran',
      batch:
        '504 {errors:[{message:"The deadline of the request passed before this was finished. It may have run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 0 ran',
      stream:
        '504 {errors:[{message:"The deadline of the request passed before this was finished. It may have run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 0 ran',
      refused:
        '504 {errors:[{message:"The deadline of the request passed before this was finished. It may have run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 0 ran',
    },
    operation: late,
    document: late,
    execution: {
      single:
        '504 {errors:[{message:"The deadline of the request passed before this could run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 0 ran',
      batch:
        '200 [{errors:[{message:"The deadline of the request passed before this could run.",extensions:{code:"DEADLINE_EXCEEDED"}}]},{data:{b:"x"}}]; 1 ran',
      stream:
        '200 {errors:[{message:"The deadline of the request passed before this could run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 0 ran',
      refused: notValid,
    },
    payload: {
      ...untouched,
      stream:
        '200 {errors:[{message:"The deadline of the request passed before this was finished. It may have run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 0 ran',
    },
  },
  'hangs after next': {
    request: {
      single:
        '504 {errors:[{message:"The deadline of the request passed before this was finished. It may have run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 1 ran',
      batch:
        '504 {errors:[{message:"The deadline of the request passed before this was finished. It may have run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 2 ran',
      stream:
        '504 {errors:[{message:"The deadline of the request passed before this was finished. It may have run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 0 ran',
      refused:
        '504 {errors:[{message:"The deadline of the request passed before this was finished. It may have run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 0 ran',
    },
    operation: {
      single:
        '504 {errors:[{message:"The deadline of the request passed before this was finished. It may have run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 1 ran',
      batch:
        '200 [{errors:[{message:"The deadline of the request passed before this was finished. It may have run.",extensions:{code:"DEADLINE_EXCEEDED"}}]},{data:{b:"x"}}]; 2 ran',
      stream:
        '200 {errors:[{message:"The deadline of the request passed before this was finished. It may have run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 0 ran',
      refused:
        '504 {errors:[{message:"The deadline of the request passed before this was finished. It may have run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 0 ran',
    },
    document: late,
    execution: {
      single:
        '504 {errors:[{message:"The deadline of the request passed before this was finished. It may have run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 1 ran',
      batch:
        '200 [{errors:[{message:"The deadline of the request passed before this was finished. It may have run.",extensions:{code:"DEADLINE_EXCEEDED"}}]},{data:{b:"x"}}]; 2 ran',
      stream:
        '200 {errors:[{message:"The deadline of the request passed before this was finished. It may have run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 0 ran',
      refused: notValid,
    },
    payload: {
      ...untouched,
      stream:
        '200 {errors:[{message:"The deadline of the request passed before this was finished. It may have run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 1 ran',
    },
  },
  'hangs after next, and only watches': {
    request: {
      ...untouched,
      stream:
        '200 {errors:[{message:"The deadline of the request passed before this was finished. It may have run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 0 ran',
    },
    operation: {
      ...untouched,
      stream:
        '200 {errors:[{message:"The deadline of the request passed before this was finished. It may have run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 0 ran',
    },
    document: late,
    execution: {
      ...untouched,
      stream:
        '200 {errors:[{message:"The deadline of the request passed before this was finished. It may have run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 0 ran',
    },
    payload: {
      ...untouched,
      stream:
        '200 {data:{a:"x"}} {errors:[{message:"The deadline of the request passed before this was finished. It may have run.",extensions:{code:"DEADLINE_EXCEEDED"}}]}; 1 ran',
    },
  },
};

async function send(t: TestContext, { stage, behavior, kind }: { stage: Stage; behavior: string; kind: Kind }): Promise<string> {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.UTC(2026, 10, 27) });
  let runs = 0;
  const run = async (): Promise<string> => (runs++, 'x');
  const enter = behaviors[behavior]!(stage);
  const isMisbehaving = (subject: { request: { query?: string } }): boolean => stage === 'request' || /\ba\b/.test(subject.request.query!);
  const plugin = {
    onlyWatches: behavior === 'hangs after next, and only watches',
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
        test(`that ${behavior} in the stage ${stage} of ${titles[kind]!}`, async (t) => {
          assert.equal(await send(t, { stage, behavior, kind }), table[behavior]![stage][kind]);
        });
});
