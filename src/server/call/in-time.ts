import type { HTTPResponse, StreamedResponse } from '../../shared/index.ts';
import { toLateResponse } from '../http/refusals.ts';
import type { Call } from './call.ts';
import { addCommonHeaders, refusalSettings } from './steps.ts';

type Response = HTTPResponse | StreamedResponse;

/**
 * True if something other than the operations may wait beyond the deadline: operations end in time by themselves. A web `Request` usually
 * has no deadline. Until the server has started, its options, which may set a deadline, are not known.
 */
export function mayBeLate({ settings, request, invocation }: Call): boolean {
  if (settings === undefined) return true;
  if (settings.waitsInOperationsOnly && request?.body.kind !== 'stream') return false;
  return invocation.deadlineLeft() !== undefined;
}

/** Waits for a response until the last moment. The start of the server, a request body or a hook may hang. */
export function answerInTime(responding: Promise<Response>, call: Call): Promise<Response> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = call.invocation.onLastMoment(() => {
      timer = setTimeout(() => resolve(tooLate(call)), timeForOperations);
    });
    const settling =
      <T>(resolveOrReject: (outcome: T) => void) =>
      (outcome: T): void => {
        stop();
        if (timer !== undefined) clearTimeout(timer);
        resolveOrReject(outcome);
      };
    responding.then(settling(resolve), settling(reject));
  });
}

/** Milliseconds after the last moment that operations have to make partial answers. */
const timeForOperations = 10;

/** Adds only the common headers that are available synchronously: the origin function of `cors` may be what hangs. */
function tooLate(call: Call): Response {
  call.starter.logger().warn('The deadline passed before there was an answer.');
  call.response = toLateResponse(refusalSettings(call), call.request);
  void addCommonHeaders(call);
  return call.response;
}
