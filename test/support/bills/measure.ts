import { asksForStream } from './requests.ts';
import type { BilledRequest } from './requests.ts';
import type { BilledServer } from './servers.ts';

/** The resources that an answer used. */
export interface Bill {
  /** Milliseconds of CPU, the median of the runs. */
  readonly cpu: number;
  /** MiB of heap that are in use while the answer is reachable. */
  readonly heap: number;
  readonly status: number;
  readonly bytes: number;
  /** Characters of the errors of the answer. */
  readonly errors: number;
  readonly logged: number;
  readonly stored: number;
}

/** The guaranteed limits: the maximum cost of a request of at most 1 MiB. */
export const promised = { cpu: 100, heap: 30, errors: 1024 * 1024, logged: 65_536, stored: 100_000 };

/** The platform's limit on buffered answers, and the default where there is none. */
const limits = { event: 6_291_556, web: 32 * 1024 * 1024 };

/** Sends a request as an event of an HTTP API, or as a web `Request` if it accepts a stream. Expensive ones are sent again. */
export async function measure(server: BilledServer, request: BilledRequest): Promise<Bill> {
  const isWeb = server.handler.fetch !== undefined && asksForStream(request.story);
  const times: number[] = [];
  let answer = { status: 0, body: '' };
  let heap = 0;
  let spent = { logged: 0, stored: 0 };
  for (let round = 0; round < 3 && (round === 0 || times[0]! > promised.cpu / 2); round++) {
    answer = { status: 0, body: '' };
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    const start = process.cpuUsage();
    answer = isWeb ? await sendToWeb(server, request) : await sendEvent(server, request);
    const { user, system } = process.cpuUsage(start);
    const spentTime = (user + system) / 1000;
    times.push(spentTime < promised.cpu / 3 ? spentTime : spentTime / slowness());
    spent = server.takeSpent();
    // After a quick request the engine may not have collected garbage yet, which is not retained.
    if (times[0]! > promised.cpu / 4 || heapSince(before) > promised.heap / 2) globalThis.gc?.();
    heap = Math.max(heap, heapSince(before));
  }
  const cpu = times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)]!;
  return { cpu, heap, status: answer.status, bytes: Buffer.byteLength(answer.body), errors: errorsIn(answer.body), ...spent };
}

function heapSince(bytes: number): number {
  return (process.memoryUsage().heapUsed - bytes) / 1024 / 1024;
}

/** The limits that a bill exceeds. */
export function brokenPromises({ cpu, heap, errors, logged, stored, status, bytes }: Bill, story: string): readonly string[] {
  const limit = asksForStream(story) ? limits.web : limits.event;
  return [
    ...(cpu > promised.cpu ? [`${cpu.toFixed(0)} ms of CPU`] : []),
    ...(globalThis.gc !== undefined && heap > promised.heap ? [`${heap.toFixed(0)} MiB of heap`] : []),
    ...(errors > promised.errors ? [`${errors} characters of errors`] : []),
    ...(logged > promised.logged ? [`${logged} characters logged`] : []),
    ...(stored > promised.stored ? [`${stored} characters stored`] : []),
    // Each part adds its own names and boundary.
    ...(bytes > limit * 1.1 ? [`an answer of ${bytes} bytes`] : []),
    ...(status >= 500 || status === 0 ? [`status ${status}`] : []),
  ];
}

/** The lowest CPU time measured so far for a constant workload. */
let leastCalibration = Infinity;

/** How much slower work is now than on an idle core, measured with a constant workload. At least 1. */
function slowness(): number {
  const start = process.cpuUsage();
  let work = 0;
  for (let at = 0; at < 4000; at++) work += JSON.stringify({ at, half: at / 2, list: [at, String(at)] }).length;
  const { user, system } = process.cpuUsage(start);
  const taken = work > 0 ? user + system : 0;
  leastCalibration = Math.min(leastCalibration, taken);
  return taken / leastCalibration;
}

async function sendEvent(
  { handler }: BilledServer,
  { method, query, headers, body }: BilledRequest,
): Promise<{ status: number; body: string }> {
  const event = {
    version: '2.0',
    rawPath: '/',
    rawQueryString: query,
    headers: Object.fromEntries(headers),
    requestContext: { http: { method } },
    body,
  };
  const result = (await (handler as (event: unknown, context: unknown) => Promise<unknown>)(event, {})) as {
    statusCode: number;
    body?: string;
  };
  return { status: result.statusCode, body: result.body ?? '' };
}

async function sendToWeb(
  { handler }: BilledServer,
  { method, query, headers, body }: BilledRequest,
): Promise<{ status: number; body: string }> {
  const request = new Request(`https://example.com/?${query}`, {
    method,
    headers: new Headers(headers.map(([name, value]) => [name, value])),
    body: body ?? null,
  });
  const response = await handler.fetch!(request);
  return { status: response.status, body: await response.text() };
}

/** The text between the brackets of `errors`, of every element or part. */
function errorsIn(body: string): number {
  const at = body.indexOf('"errors":[');
  if (at < 0) return 0;
  try {
    const json = JSON.parse(body) as { errors?: unknown } | { errors?: unknown }[];
    return [json].flat().reduce((sum, { errors }) => sum + (errors === undefined ? 0 : JSON.stringify(errors).length), 0);
  } catch {
    const end = body.lastIndexOf('],"data"');
    return (end < at ? body.length : end) - at;
  }
}
