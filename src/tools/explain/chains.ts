import type { Milliseconds } from '../../datasources/index.ts';
import type { LongestChain, SerialCalls } from './report.ts';
import type { WatchedCall } from './watched-call.ts';

/** A call that took time, and its index. */
interface TimedCall {
  readonly number: number;
  readonly call: WatchedCall;
  readonly start: Milliseconds;
  readonly end: Milliseconds;
}

/** A shorter chain is often necessary: a user, then the user's orders. */
const worthMentioning = 3;

/**
 * Finds similar calls that ran one after another: a loop that awaits, or items of a list that wait for each other. Whether
 * a call needed the previous response is unknown, so the advice is conditional.
 */
export function findSerialCalls(calls: readonly WatchedCall[]): SerialCalls[] {
  const timed = timedCalls(calls);
  const loops = chainsIn(timed, (call) => (call.field === undefined ? undefined : call.field.join('.')), sayLoop);
  const inLoops = new Set(loops.flatMap((chain) => chain.calls));
  const rest = timed.filter(({ number }) => !inLoops.has(number));
  const items = chainsIn(rest, listFieldOf, sayItems).filter(({ calls: numbers }) => isSeamless(numbers.map((number) => calls[number]!)));
  const unknown = chainsIn(rest, (call) => (call.field === undefined ? '' : undefined), sayLoop);
  return [...loops, ...items, ...unknown];
}

/**
 * The calls that the response waited for: the one that ended last, before it the one that had ended last when it began,
 * and so on.
 */
export function findLongestChain(calls: readonly WatchedCall[]): LongestChain | undefined {
  const byEnd = timedCalls(calls).toSorted((a, b) => a.end - b.end);
  const chain: TimedCall[] = [];
  for (let last = byEnd.pop(); last !== undefined;) {
    chain.unshift(last);
    const { start } = last;
    last = byEnd.findLast(({ end }) => end <= start);
  }
  if (chain.length < 2) return undefined;
  return {
    calls: chain.map(({ number }) => number),
    fields: chain.map(({ call }) => call.field?.join('.') ?? ''),
    milliseconds: chain.at(-1)!.end - chain[0]!.start,
  };
}

/** Calls of one kind from as many items are worth one call for all. */
const manyItems = 5;

/** Where many items of a list each made a call of one kind, at the same time: which field could be batched. */
export function adviseBatches(calls: readonly WatchedCall[], chains: readonly SerialCalls[]): string[] {
  const sent = timedCalls(calls).filter(({ call }) => call.tries > 0);
  return kindsOf(sent, listFieldOf).flatMap(({ group, members }) => {
    if (members.length < manyItems || chains.some(({ field }) => field === group)) return [];
    const { method } = members[0]!.call.request;
    return (
      `The items of ${group} made ${members.length} similar calls (${method}) that no cache answered. If the API can load several ` +
      'items at once and its responses cannot be cached, resolve this field with batch() and one call.'
    );
  });
}

/** Excludes memo hits and calls that failed before sending, which take no time, and calls that have not ended. */
function timedCalls(calls: readonly WatchedCall[]): TimedCall[] {
  return calls.flatMap((call, number) =>
    call.end === undefined || call.layer === 'memo' || call.layer === 'none' ? [] : [{ number, call, start: call.start, end: call.end }],
  );
}

function chainsIn(
  calls: readonly TimedCall[],
  groupOf: (call: WatchedCall) => string | undefined,
  say: (chain: readonly TimedCall[], field: string) => string,
): SerialCalls[] {
  return kindsOf(calls, groupOf).flatMap(({ group, members }) => {
    const chain = oneAfterTheOther(members);
    if (chain.length < worthMentioning) return [];
    return {
      calls: chain.map(({ number }) => number),
      ...(group !== '' && { field: group }),
      milliseconds: chain.at(-1)!.end - chain[0]!.start,
      advice: say(chain, group),
    };
  });
}

/** Splits each group into kinds of similar calls. */
function kindsOf(
  calls: readonly TimedCall[],
  groupOf: (call: WatchedCall) => string | undefined,
): { readonly group: string; readonly members: readonly TimedCall[] }[] {
  const kinds: { group: string; members: TimedCall[] }[] = [];
  for (const one of calls) {
    const group = groupOf(one.call);
    if (group === undefined) continue;
    const kind = kinds.find((known) => known.group === group && isOfOneKind(known.members[0]!.call, one.call));
    if (kind === undefined) kinds.push({ group, members: [one] });
    else kind.members.push(one);
  }
  return kinds;
}

/** True for the same method and data source, and URLs that differ only in one path segment or in parameter values. */
function isOfOneKind(a: WatchedCall, b: WatchedCall): boolean {
  if (a.source !== b.source || a.request.method !== b.request.method) return false;
  const [one, other] = [shapeOf(a.request.url), shapeOf(b.request.url)];
  if (one.parameters !== other.parameters || one.segments.length !== other.segments.length) return false;
  return one.segments.filter((segment, at) => segment !== other.segments[at]).length <= 1;
}

function shapeOf(text: string): { readonly segments: readonly string[]; readonly parameters: string } {
  const [path = '', search] = text.split('?');
  return { segments: path.split('/'), parameters: [...new URLSearchParams(search).keys()].toSorted().join('&') };
}

/** The longest sequence of calls that do not overlap. */
function oneAfterTheOther(calls: readonly TimedCall[]): TimedCall[] {
  const chain: TimedCall[] = [];
  for (const one of calls.toSorted((a, b) => a.end - b.end)) if (one.start >= (chain.at(-1)?.end ?? -Infinity)) chain.push(one);
  return chain;
}

/** `authors.0.books.*.reviews`: the same field of all items in a list. Deeper fields wait for their parents. */
function listFieldOf({ field }: WatchedCall): string | undefined {
  if (field === undefined || typeof field.at(-2) !== 'number') return undefined;
  return [...field.slice(0, -2), '*', field.at(-1)].join('.');
}

/** The maximum gap in milliseconds. Longer gaps suggest that items did not wait for each other. */
const seam = 2;

function isSeamless(chain: readonly WatchedCall[]): boolean {
  return chain.every(({ start }, at) => at === 0 || start - chain[at - 1]!.end! <= seam);
}

function sayLoop(chain: readonly TimedCall[], field: string): string {
  const where = field === '' ? '' : `The resolver of ${field} made `;
  return (
    `${where}${seen(chain)}. If no call needs the result of an earlier one, start them together (Promise.all), ` +
    'or load everything with one call.'
  );
}

function sayItems(chain: readonly TimedCall[], field: string): string {
  return (
    `The items of ${field} waited for each other: ${seen(chain)}. In the resolver of each item, start the call and return the promise, ` +
    'or load all items with one call.'
  );
}

function seen(chain: readonly TimedCall[]): string {
  const { method } = chain[0]!.call.request;
  const milliseconds = Math.round(chain.at(-1)!.end - chain[0]!.start);
  return `${chain.length} similar calls (${method}), one after another, ${milliseconds} ms in total`;
}
