import { completeValue, nullOrThrow } from '../errors.ts';
import { plainValue } from '../../built-in-scalars.ts';
import { addPath } from '../../plan/path.ts';
import { PromisedValue } from '../pending.ts';
import type { FieldRun, Position, Shape } from '../../plan/planned-field.ts';
import type { Path } from '../../plan/path.ts';
import { isPromiseLike } from '../../../shared/index.ts';

/** A list whose items are being completed. */
export class ListRun {
  readonly fieldRun: FieldRun;
  /** The shape of each item. */
  readonly item: Shape;
  readonly position: Position;

  constructor(position: Position, item: Shape) {
    this.fieldRun = position.fieldRun;
    this.item = item;
    this.position = position;
  }

  get path(): Path {
    return this.position.path;
  }

  /** The position of an item. */
  at(index: number): Position {
    return new ItemPosition(this, index);
  }
}

class ItemPosition implements Position {
  readonly fieldRun: FieldRun;
  readonly shape: Shape;
  readonly #list: ListRun;
  readonly #index: number;
  #path: Path | undefined = undefined;

  constructor(list: ListRun, index: number) {
    this.fieldRun = list.fieldRun;
    this.shape = list.item;
    this.#list = list;
    this.#index = index;
  }

  get path(): Path {
    return (this.#path ??= addPath(this.#list.path, this.#index, undefined));
  }
}

/** Completes one item of a list. Returns a value or a Pending; throws a located error if items are non-null. */
export function completeItem(list: ListRun, item: unknown, index: number): unknown {
  const { fieldRun, item: shape } = list;
  const plain = plainValue(shape.plain, item);
  if (plain !== undefined) {
    if (typeof plain === 'string') fieldRun.run.budget.grow(plain.length);
    return plain;
  }
  if ((item === null || item === undefined) && !shape.nonNull) return null;
  const position = list.at(index);
  try {
    if (isPromiseLike(item)) return new PromisedValue(position, item);
    return completeValue(position, item);
  } catch (error) {
    return nullOrThrow(position, error);
  }
}
