import type { PromiseOrValue } from '../../shared/index.ts';
import type { Stage } from './around.ts';
import { withThrown } from './delivery/payload-stream.ts';
import { toGraphQLError } from './errors.ts';
import type { Operation } from './operation.ts';
import type { OperationExecution, PayloadOutcome } from './plugin.ts';
import { describeExecution } from './run-execution.ts';
import type { PayloadStream, SubsequentPayload } from './types.ts';

type Result = IteratorResult<SubsequentPayload>;

/** Opens the stream of an operation. */
export function openStream(operation: Operation, stream: PayloadStream): void {
  const stage = operation.settings.stages?.payload;
  operation.stream = stage === undefined ? stream : payloadsInStage(stream, stage, operation);
}

/** The payloads of a stream, each inside the stage `payload` of the plugins, which also see the end, however it comes. */
function payloadsInStage(
  stream: PayloadStream,
  stage: Stage<OperationExecution, PayloadOutcome | undefined>,
  operation: Operation,
): PayloadStream {
  const { invocation } = operation;
  const execution = describeExecution(operation);
  let isOver = false;
  let isPending = false;
  const take = async (next: () => Promise<Result>): Promise<Result> => {
    const run = async (): Promise<PayloadOutcome | undefined> => {
      const { done, value } = await next();
      isOver ||= done === true;
      return done === true ? undefined : { result: value, errors: stream.errorsOf(value) };
    };
    // The error becomes the last payload.
    const fail = (thrown: unknown): PromiseOrValue<PayloadOutcome | undefined> => {
      if (isOver) return undefined;
      stream.finish(toGraphQLError(thrown));
      next = () => stream.next();
      return run();
    };
    isPending = true;
    const outcome = await stage(execution, { run, invocation, fail });
    isPending = false;
    return isOver || outcome === undefined ? end : { done: false, value: withThrown(outcome.result, outcome.errors) };
  };
  const wrapped: PayloadStream = {
    [Symbol.asyncIterator]: () => wrapped,
    next: () => (isOver ? stream.next() : take(() => stream.next())),
    return: async () => {
      const ended = await stream.return();
      // A pending stage sees this end.
      if (!isOver && !isPending) await take(async () => ended);
      return ended;
    },
    finish: (reason, unsent) => stream.finish(reason, unsent),
    errorsOf: (payload) => stream.errorsOf(payload),
  };
  return wrapped;
}

const end: Result = { done: true, value: undefined };
