import type { GraphQLObjectType } from 'graphql';

import type { SelectedField, AnswerSelection } from './selection.ts';

/** A field of one object of an answer, for one of the types that the object may have. */
export interface AnsweredField {
  readonly selected: SelectedField;
  readonly value: unknown;
  /** The keys from the root, joined with dots. Empty unless `kind` is "paths". */
  readonly path: string;
  readonly isRoot: boolean;
}

/** Called with an answer, piece by piece. */
export interface AnswerVisitor {
  /** `types`: all types that the object may have; only one if the answer has its `__typename`. */
  object?(types: readonly GraphQLObjectType[], value: Answered, selection: AnswerSelection): void;
  field(field: AnsweredField): void;
  /** "paths": every field, with its path. "objects": plain fields are left out. */
  readonly kind: 'paths' | 'objects';
}

export type Answered = Readonly<Record<string, unknown>>;

/**
 * Visits objects and fields of an answer. False: the answer exceeds the limit, and not all of it was visited. Introspection is left out.
 */
export function walkAnswer(root: AnswerSelection, data: Answered, visitor: AnswerVisitor): boolean {
  return new Walk(visitor).object(root, data, { path: '', isRoot: true });
}

/** The most objects, and fields with selections, that are visited. An object of unknown type counts once for each possible type. */
export const maxVisits = 200_000;

/** The place of an object. */
type Position = Pick<AnsweredField, 'path' | 'isRoot'>;

/** The place of every object below the root, where no paths are needed. */
const inside: Position = { path: '', isRoot: false };

class Walk {
  readonly #visitor: AnswerVisitor;
  #left = maxVisits;

  constructor(visitor: AnswerVisitor) {
    this.#visitor = visitor;
  }

  get #withPaths(): boolean {
    return this.#visitor.kind === 'paths';
  }

  object(selection: AnswerSelection, value: Answered, at: Position): boolean {
    const types = typesOfObject(selection, value);
    if (!at.isRoot) this.#visitor.object?.(types, value, selection);
    for (const type of types) {
      if (--this.#left < 0) return false;
      for (const selected of selection.fieldsFor(type)) {
        // Most fields of an answer are plain.
        if (!this.#withPaths && selected.below === undefined) continue;
        if (!this.#field(selected, value, at)) return false;
      }
    }
    return true;
  }

  #field(selected: SelectedField, object: Answered, { path: parent, isRoot }: Position): boolean {
    const { key, name, below } = selected;
    // The field belongs to another type than the object's.
    if (!(key in object) || name.startsWith('__')) return true;
    if (--this.#left < 0) return false;
    const value = object[key];
    const path = this.#withPaths ? (isRoot ? key : `${parent}.${key}`) : '';
    this.#visitor.field({ selected, value, path, isRoot });
    return below === undefined || this.#value(below, value, path);
  }

  #value(below: AnswerSelection, value: unknown, path: string): boolean {
    if (Array.isArray(value)) return value.every((item, index) => this.#value(below, item, this.#withPaths ? `${path}.${index}` : ''));
    return (
      typeof value !== 'object' ||
      value === null ||
      this.object(below, value as Answered, this.#withPaths ? { path, isRoot: false } : inside)
    );
  }
}

/** All types that an object may have; only one if the answer has its `__typename`. */
export function typesOfObject(selection: AnswerSelection, value: Answered): readonly GraphQLObjectType[] {
  if (selection.types.length < 2) return selection.types;
  const key = selection.typenameKeys.find((one) => one in value);
  const found = key === undefined ? undefined : selection.types.find(({ name }) => name === value[key]);
  return found === undefined ? selection.types : [found];
}
