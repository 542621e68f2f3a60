import { completeAsyncIterable, isAsyncIterable } from './async-lists.ts';
import { isGraphQL17 } from '../../graphql-version.ts';
import { explain, misfit } from '../errors.ts';
import { completeItem, ListRun } from './items.ts';
import { isNumber } from '../../built-in-scalars.ts';
import { Pending, PendingContainer } from '../pending.ts';
import { Shape } from '../../plan/planned-field.ts';
import { sizeOfItem, sizeOfRead } from '../../costs.ts';
import { drainedWhenLeft } from '../unhandled-rejections.ts';
import type { Position } from '../../plan/planned-field.ts';
import type { Run } from '../run.ts';

/** Lists: arrays and other iterables. */
export class ListShape extends Shape {
  /** The shape of each item. */
  readonly item: Shape;

  constructor(item: Shape, nonNull: boolean) {
    super(nonNull);
    this.item = item;
  }

  complete(position: Position, value: unknown): unknown {
    const { fieldRun } = position;
    const streaming = position === fieldRun ? fieldRun.field.parts?.stream : undefined;
    if (streaming !== undefined && isList(value, fieldRun.run)) return streaming.complete(position, this.item, value);
    const list = new ListRun(position, this.item);
    if (!Array.isArray(value) && takesAsyncIterables(fieldRun.run) && isAsyncIterable(value)) return completeAsyncIterable(list, value);
    if (!isIterable(value)) {
      const { field } = fieldRun;
      const message = `Expected Iterable, but did not find one for field "${field.parentType.name}.${field.fieldName}".`;
      throw misfit(message + explain(position, { value }));
    }
    return completeItems(list, value);
  }
}

function isList(value: unknown, run: Run): value is Iterable<unknown> | AsyncIterable<unknown> {
  return isIterable(value) || (takesAsyncIterables(run) && isAsyncIterable(value as object));
}

/** True if lists may be asynchronous iterables: always in graphql 17, and in 16 only if the response may have several parts. */
function takesAsyncIterables({ settings }: Run): boolean {
  return isGraphQL17 || settings.takesAsyncIterables === true;
}

/** Strings do not count as lists. */
function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && typeof (value as { [Symbol.iterator]?: unknown })[Symbol.iterator] === 'function';
}

/** Creates an array of this length, because one that grows from empty has room for 17. (V8 fills arrays of numbers faster if they start empty.) */
function emptyFor(length: number): unknown[] {
  // oxlint-disable-next-line unicorn/no-new-array -- the length is the point
  return length < 17 ? new Array<unknown>(length) : [];
}

/** Completes the items of an iterable. */
export function completeItems(list: ListRun, items: Iterable<unknown>): unknown {
  const { run } = list.fieldRun;
  const isArray = Array.isArray(items);
  run.budget.growByContainer(isArray ? items.length * sizeOfItem : 0);
  const result = isArray && !isNumber(list.item.plain) ? emptyFor(items.length) : [];
  let index = 0;
  let pending: PendingContainer | undefined;
  try {
    for (const item of isArray ? (items as readonly unknown[]) : drainedWhenLeft(items)) {
      if (!isArray) run.budget.grow(sizeOfRead);
      const value = completeItem(list, item, index);
      if (value instanceof Pending) {
        pending ??= new PendingContainer(run, result, list.position);
        pending.waitFor(value, index);
      } else if (index < result.length) {
        result[index] = value;
      } else {
        result.push(value);
      }
      index++;
    }
    // A resolver may have removed items meanwhile.
    if (index < result.length) result.length = index;
  } catch (error) {
    if (pending !== undefined) pending.failed = true;
    throw error;
  }
  pending?.filled();
  return pending ?? result;
}
