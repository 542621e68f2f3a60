/**
 * The deadline with real clocks: 1,000 operations, 200 at a time, each with a limit of 3,000 ms and resolvers of which half never
 * settle. In this process, and in AWS's runtime client if it is installed (node test/real/install.ts test:real).
 *
 *     node bench/deadline.ts
 *
 * Expected: all operations answer with their finished fields before the limit, and leave no unhandled rejection and no open socket.
 * Takes 40 s.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { bundle, createFolder } from '../test/real/bundle.ts';
import { deploy } from '../test/real/lambda-function.ts';
import { needs } from '../test/real/parts.ts';
import { createEvent } from './event.ts';

/** The results of all runs. */
export interface DeadlineResult {
  readonly runs: number;
  /** Those that answered everything that was finished, and null for the rest. */
  readonly complete: number;
  /**
   * Milliseconds after the beginning of a call. The limit is 3,000, the deadline 2,750. With the runtime client the call
   * also waits to be fetched, which is before its time begins; one that is over its time would be killed, and not complete.
   */
  readonly first: number;
  readonly last: number;
  readonly unhandledRejections: number;
  /** Sockets of the function, and connections of the origin, when Node's fetch has closed what it keeps for the next request (4 s). */
  readonly openSockets: number;
}

const limit = 3000;
const runs = 1000;
const atOnce = 200;
const query = '{ now never soon silent books { title later never } }';
const expected = JSON.stringify({
  now: 'now',
  never: null,
  soon: 'soon',
  silent: null,
  books: Array.from({ length: 10 }, (_, index) => ({ title: `Book ${index}`, later: 'later', never: null })),
});

/** How a function is called: with an event, and by when it has to have answered. */
type Call = (event: object) => Promise<{ body: string }>;

export async function measureDeadline(): Promise<{ inProcess: DeadlineResult; runtimeClient: DeadlineResult | string }> {
  const origin = createServer(() => {
    // Never answers.
  }).listen(0, '127.0.0.1');
  await once(origin, 'listening');
  const environment = { ORIGIN_URL: `http://127.0.0.1:${(origin.address() as AddressInfo).port}/`, NODE_ENV: 'production' };
  const connections = (): Promise<number> =>
    new Promise((resolve, reject) => {
      origin.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });
  try {
    const inProcess = await inThisProcess(environment, connections);
    const { skip } = needs('aws-lambda-ric');
    return { inProcess, runtimeClient: skip === false ? await inRuntimeClient(environment, connections) : skip };
  } finally {
    origin.close();
    origin.closeAllConnections();
  }
}

async function inThisProcess(environment: Record<string, string>, connections: () => Promise<number>): Promise<DeadlineResult> {
  Object.assign(process.env, environment);
  const { default: handler } = (await import('./functions/late.ts')) as { default: (event: unknown, context: object) => Promise<any> };
  return measure((event) => {
    const end = Date.now() + limit;
    return handler(event, { getRemainingTimeInMillis: () => end - Date.now() });
  }, connections);
}

async function inRuntimeClient(environment: Record<string, string>, connections: () => Promise<number>): Promise<DeadlineResult> {
  const folder = await createFolder();
  await bundle('bench/functions/late.ts', `${folder.path}/late.mjs`, 'lambda-esm');
  const lambda = await deploy({
    taskRoot: folder.path,
    handler: 'late.default',
    timeout: limit,
    // As in a Managed Instance, where one process has many calls at once.
    environment: { ...environment, AWS_LAMBDA_MAX_CONCURRENCY: String(atOnce), AWS_LAMBDA_NODEJS_WORKER_COUNT: '1' },
  });
  try {
    return await measure(async (event) => {
      const outcome = await lambda.invoke(event);
      return outcome.kind === 'result' ? (outcome.value as { body: string }) : { body: JSON.stringify({ failure: outcome }) };
    }, connections);
  } finally {
    await lambda.end();
    await folder.remove();
  }
}

async function measure(call: Call, connections: () => Promise<number>): Promise<DeadlineResult> {
  const event = createEvent(JSON.stringify({ query }));
  const times: number[] = [];
  let complete = 0;
  const run = async (): Promise<void> => {
    const begun = performance.now();
    const { body } = await call(event);
    times.push(performance.now() - begun);
    if (JSON.stringify(JSON.parse(body).data) === expected) complete++;
  };
  for (let done = 0; done < runs; done += atOnce) await Promise.all(Array.from({ length: atOnce }, run));

  await new Promise((resolve) => setTimeout(resolve, 5000));
  const { body } = await call(createEvent(JSON.stringify({ query: '{ openSockets unhandled }' })));
  const { openSockets, unhandled } = JSON.parse(body).data;
  return {
    runs,
    complete,
    first: Math.round(Math.min(...times)),
    last: Math.round(Math.max(...times)),
    unhandledRejections: unhandled,
    openSockets: openSockets + (await connections()),
  };
}

if (import.meta.main) {
  const result = await measureDeadline();
  console.log(process.env['AS_JSON'] ? JSON.stringify(result) : result);
  process.exit(0);
}
