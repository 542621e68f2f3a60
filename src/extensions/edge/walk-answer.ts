import type { GraphQLObjectType } from 'graphql';

import type { SelectedField, Selection } from './selection.ts';

/** A field of one object of an answer, for one of the types that the object may have. */
export interface AnsweredField {
  readonly selected: SelectedField;
  readonly value: unknown;
  /** Keys from the root, joined with dots. Empty unless paths were asked for. */
  readonly path: string;
  readonly isRoot: boolean;
}

/** Called with an answer, piece by piece. */
export interface AnswerVisitor {
  /** `types`: all that the object may have; one where the answer says it. */
  object?(types: readonly GraphQLObjectType[], value: Answered, selection: Selection): void;
  field(field: AnsweredField): void;
  /**
   * "paths": every field, with its path. "objects": plain fields below the root are left out. "absences": of those below the root
   * only lists, and what may be null, with what leads there.
   */
  readonly kind: 'paths' | 'objects' | 'absences';
}

export type Answered = Readonly<Record<string, unknown>>;

/**
 * Visits objects and fields of an answer. False when there are more than may be looked at: nothing may be concluded then.
 * Introspection is left out.
 */
export function walkAnswer(root: Selection, data: Answered, visitor: AnswerVisitor): boolean {
  return new Walk(visitor).object(root, data, { path: '', isRoot: true });
}

/** Objects, and fields with selections, that are looked at. Without its type an object is looked at once for each that it may have. */
const maxVisits = 200_000;

/** Where an object is. */
type Position = Pick<AnsweredField, 'path' | 'isRoot'>;

/** Any but the root, where paths are not asked for. */
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

  object(selection: Selection, value: Answered, at: Position): boolean {
    const types = typesOfObject(selection, value);
    const { kind } = this.#visitor;
    if (!at.isRoot && kind !== 'absences') this.#visitor.object?.(types, value, selection);
    for (const type of types) {
      if (--this.#left < 0) return false;
      for (const selected of this.#fieldsOf(selection, type, at.isRoot)) if (!this.#field(selected, value, at)) return false;
    }
    return true;
  }

  /** Plain fields are most of an answer. */
  #fieldsOf(selection: Selection, type: GraphQLObjectType, isRoot: boolean): readonly SelectedField[] {
    const { kind } = this.#visitor;
    if (isRoot || kind === 'paths') return selection.fieldsFor(type);
    return kind === 'objects' ? selection.nestedFor(type) : selection.absentFor(type);
  }

  #field(selected: SelectedField, object: Answered, { path: parent, isRoot }: Position): boolean {
    const { key, name, below } = selected;
    // Of a type that the object does not have.
    if (!(key in object) || name.startsWith('__')) return true;
    if (--this.#left < 0) return false;
    const value = object[key];
    const path = this.#withPaths ? (isRoot ? key : `${parent}.${key}`) : '';
    this.#visitor.field({ selected, value, path, isRoot });
    if (below === undefined || (this.#visitor.kind === 'absences' && !below.hasAbsences)) return true;
    return this.#value(below, value, path);
  }

  #value(below: Selection, value: unknown, path: string): boolean {
    if (Array.isArray(value)) return value.every((item, index) => this.#value(below, item, this.#withPaths ? `${path}.${index}` : ''));
    return (
      typeof value !== 'object' ||
      value === null ||
      this.object(below, value as Answered, this.#withPaths ? { path, isRoot: false } : inside)
    );
  }
}

function typesOfObject(selection: Selection, value: Answered): readonly GraphQLObjectType[] {
  if (selection.types.length < 2) return selection.types;
  const key = selection.typenameKeys.find((one) => one in value);
  const found = key === undefined ? undefined : selection.types.find(({ name }) => name === value[key]);
  return found === undefined ? selection.types : [found];
}
