import type { HTTPRequest, HTTPResponse, ResultLimit, StreamedResponse } from '../../shared/index.ts';

/**
 * One source of requests. To add a platform, add a file with such a value. Any client may have made up an event: a missing key or a
 * wrong type is a `malformedEvent`, never a TypeError.
 */
export interface PlatformAdapter<TEvent = UnknownEvent, TResult = unknown> extends ResultLimit {
  /** True if an event comes from this source. If two adapters recognize an event, the first in the list gets it. */
  readonly recognizes: (event: UnknownEvent) => boolean;
  readonly toRequest: (event: TEvent) => HTTPRequest;
  /** The result for the platform. Some platforms refuse results with unknown keys. */
  readonly toResult: (response: HTTPResponse, event: TEvent) => TResult;
  /** The result for a body that comes in chunks. Absent: the platform cannot stream. */
  readonly toStreamResult?: (response: StreamedResponse, event: TEvent) => TResult;
  /**
   * The platform's function that keeps the process alive for work after the answer. Absent, or undefined for this call: the process
   * may freeze after the answer, so the answer waits for such work.
   */
  readonly keepAlive?: (context: unknown) => ((work: Promise<unknown>) => void) | undefined;
  /** Calls back when the client disconnects before the answer. Absent: the platform does not report that. */
  readonly onLeave?: (event: TEvent, leave: () => void) => void;
  /** Milliseconds from the start of the call that the platform waits for an answer, if it does not report that itself. Absent: no limit. */
  readonly timeLimit?: (context: unknown) => number | undefined;
  /** True: the platform decodes a body that the result marks with `isBase64Encoded`, so plugins may encode it. */
  readonly decodesBase64?: boolean;
  /** A message for the log that names what the platform cannot send of this response; undefined if it can send all of it. */
  readonly losses?: (response: HTTPResponse, event: TEvent) => string | undefined;
}

/** An event of unknown origin: any key may be missing, and of any type. */
export type UnknownEvent = Readonly<Record<string, unknown>>;

/** The largest result of an AWS Lambda function, measured with its runtime client: 6 MiB and 100 bytes. */
export const lambdaResultBytes = 6_291_556;
/** The largest result of a function behind an Application Load Balancer. */
export const albResultBytes = 1_048_576;
