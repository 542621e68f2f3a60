import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';

import { serveOnLoopback } from './loopback.ts';
import { pathInPart } from './parts.ts';
import { startProgram } from '../program.ts';

/** The outcome of an invocation, as the function's invoker receives it. */
export type Outcome =
  | { readonly kind: 'result'; readonly value: unknown }
  /** A streamed response that has ended. `failure`: the error that interrupted it. */
  | { readonly kind: 'streamed'; readonly contentType: string; readonly body: Buffer; readonly failure: string | undefined }
  /** A function error. */
  | { readonly kind: 'error'; readonly errorType: string; readonly errorMessage: string };

export interface InvokeOptions {
  /** The X-Ray trace header. */
  readonly traceId?: string;
  /** Called with each chunk of a streamed response when it arrives. */
  readonly onChunk?: (chunk: Buffer) => void;
}

/** A function deployed to the tests' sandbox, in which AWS's runtime client runs it. */
export interface LambdaFunction {
  /** The error with which its init failed, after which it answers nothing. */
  readonly initError: Outcome | undefined;
  /** Delivers the event when the runtime requests one: after the previous one or, in a Managed Instance, while it processes others. */
  invoke(event: unknown, options?: InvokeOptions): Promise<Outcome>;
  /** The largest number of invocations that it has handled at the same time. */
  mostAtOnce(): number;
  /** The text that it has written to its log stream. */
  log(): string;
}

export interface Deployment {
  /** The folder of the deployment package. */
  readonly taskRoot: string;
  /** The handler in the function's configuration, such as "graphql.default". */
  readonly handler: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Milliseconds that an invocation has, as the runtime is told. Default: 10,000. */
  readonly timeout?: number;
  /** Stop the process between invocations, as the platform does. Default: false. */
  readonly freezes?: boolean;
  /** The init may fail. Default: false, which makes the test fail then. */
  readonly mayFail?: boolean;
}

interface Invocation extends Required<InvokeOptions> {
  readonly id: string;
  readonly event: string;
  readonly settle: (outcome: Outcome) => void;
}

/**
 * Serves AWS Lambda's runtime API (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html) to AWS's runtime client, which it
 * starts with the function, and waits until its init is over. The function ends with the test or its suite.
 */
export async function deploy(
  t: Pick<TestContext, 'after'>,
  { taskRoot, handler, environment, timeout = 10_000, freezes = false, mayFail = false }: Deployment,
): Promise<LambdaFunction> {
  const waiting: Invocation[] = [];
  const current = new Map<string, Invocation>();
  /** The runtime's pending requests for invocations. */
  const asking: ServerResponse[] = [];
  const init = Promise.withResolvers<Outcome | undefined>();
  let [count, mostAtOnce] = [0, 0];

  const handOver = (): void => {
    if (asking.length === 0 || waiting.length === 0) return;
    const invocation = waiting.shift()!;
    current.set(invocation.id, invocation);
    mostAtOnce = Math.max(mostAtOnce, current.size);
    if (freezes) client.signal('SIGCONT');
    const headers = {
      'Content-Type': 'application/json',
      'Lambda-Runtime-Aws-Request-Id': invocation.id,
      'Lambda-Runtime-Deadline-Ms': Date.now() + timeout,
      'Lambda-Runtime-Invoked-Function-Arn': 'arn:aws:lambda:eu-central-1:123456789012:function:graphql',
      'Lambda-Runtime-Trace-Id': invocation.traceId,
    };
    asking.shift()!.writeHead(200, headers).end(invocation.event);
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, place, id = '', verb] = /\/runtime\/(init|invocation)(?:\/([^/]+))?\/(next|response|error)$/.exec(request.url!) ?? [];
    if (verb === 'next') {
      init.resolve(undefined);
      asking.push(response);
      if (freezes && waiting.length === 0 && current.size === 0) client.signal('SIGSTOP');
      handOver();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
      current.get(id)?.onChunk(chunk as Buffer);
    }
    const outcome = outcomeOf(request, verb, Buffer.concat(chunks));
    if (place === 'init') init.resolve(outcome);
    const isKnown = place === 'init' || current.has(id);
    current.get(id)?.settle(outcome);
    current.delete(id);
    response.writeHead(isKnown ? 202 : 400, { 'Content-Type': 'application/json' }).end('{}');
  };

  const api = new URL(await serveOnLoopback(t, serve)).host;
  const variables = environmentOf(taskRoot, handler);
  // The flags of AWS's images. Without them a bundle could pass here and fail on the platform.
  const flags = ['--no-experimental-require-module', '--no-experimental-detect-module'];
  const client = startProgram(process.execPath, [...flags, pathInPart('aws-lambda-ric', 'aws-lambda-ric/index.mjs'), handler], {
    cwd: taskRoot,
    env: { ...variables, ...environment, AWS_LAMBDA_RUNTIME_API: api },
  });
  const failWhenEnded = async (): Promise<void> => {
    const { code, signal } = await client.exited;
    const failure: Outcome = { kind: 'error', errorType: 'Runtime.ExitError', errorMessage: `Runtime exited with ${code ?? signal}` };
    init.resolve(failure);
    for (const { settle } of [...current.values(), ...waiting.splice(0)]) settle(failure);
  };
  const ended = failWhenEnded();
  t.after(() => Promise.all([client.end(), ended]));
  const initError = await init.promise;
  if (initError !== undefined && !mayFail) assert.fail(client.output());

  return {
    initError,
    invoke: (event, { traceId = 'Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=1', onChunk = () => {} } = {}) =>
      new Promise((settle) => {
        const id = `8476a536-e9f4-11e8-9739-${(++count).toString(16).padStart(12, '0')}`;
        waiting.push({ id, event: JSON.stringify(event), traceId, onChunk, settle });
        handOver();
      }),
    mostAtOnce: () => mostAtOnce,
    log: client.output,
  };
}

/** What a function has returned. */
export function resultOf(outcome: Outcome): unknown {
  assert.ok(outcome.kind === 'result', JSON.stringify(outcome));
  return outcome.value;
}

function outcomeOf({ headers, trailers }: IncomingMessage, verb: string | undefined, body: Buffer): Outcome {
  if (verb === 'error') return { kind: 'error', ...(JSON.parse(body.toString()) as { errorType: string; errorMessage: string }) };
  if (headers['lambda-runtime-function-response-mode'] !== 'streaming') return { kind: 'result', value: JSON.parse(body.toString()) };
  const failure = trailers['lambda-runtime-function-error-type'];
  return { kind: 'streamed', contentType: headers['content-type'] ?? '', body, failure };
}

/** Only the variables that the platform sets, because the function must not depend on the environment of this process. */
function environmentOf(taskRoot: string, handler: string): NodeJS.ProcessEnv {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    TZ: ':UTC',
    LANG: 'en_US.UTF-8',
    AWS_REGION: 'eu-central-1',
    AWS_EXECUTION_ENV: `AWS_Lambda_nodejs${process.versions.node.split('.')[0]}.x`,
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_FUNCTION_NAME: 'graphql',
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1024',
    AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/graphql',
    AWS_LAMBDA_LOG_STREAM_NAME: '2026/11/20/[$LATEST]00000000000000000000000000000000',
    LAMBDA_TASK_ROOT: taskRoot,
    _HANDLER: handler,
  };
}
