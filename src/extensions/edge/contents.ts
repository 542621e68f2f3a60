import { isAbstractType } from 'graphql';
import type { GraphQLObjectType } from 'graphql';

import { getOrCreate } from '../../shared/index.ts';
import type { Place } from './selection.ts';

/** The data of an answer, or one of its objects. */
export type Answered = Readonly<Record<string, unknown>>;

/** The most objects and lists of an answer that are read. */
const maxVisits = 200_000;

/** The objects of an answer, by the names of their types. */
export class Contents {
  /** Types of objects. */
  readonly types: Set<string> = new Set<string>();
  /** Types of objects without a selected id, and all types that an object may have whose type is unknown. */
  readonly unnamed: Set<string> = new Set<string>();
  /** Ids by type. */
  readonly ids: Map<string, Set<string>> = new Map<string, Set<string>>();
  /** Places of lists and nulls. */
  readonly lists: Set<Place> = new Set<Place>();
  /** Places where the type of an object may change, with the ids of the objects. Undefined stands for an object without an id. */
  readonly abstract: Map<Place, Set<string | undefined>> = new Map<Place, Set<string | undefined>>();
  /** Places of objects whose type is unknown. They are not searched. */
  readonly unknown: Set<Place> = new Set<Place>();
  #left = maxVisits;

  /** False if there are more objects than the limit, so that not all were read. */
  get isWhole(): boolean {
    return this.#left >= 0;
  }

  /** Adds the value of a field with a selection. */
  add({ hasList, below }: { readonly hasList: boolean; readonly below: Place }, value: unknown): void {
    if (hasList || value === null) this.lists.add(below);
    this.#addValue(below, value);
  }

  /** Adds the fields of an object, but not the object itself. */
  addFields(place: Place, type: GraphQLObjectType, object: Answered): void {
    for (const field of place.shapeOf(type).fields) if (object[field.key] !== undefined) this.add(field, object[field.key]);
  }

  #addValue(place: Place, value: unknown): void {
    if (--this.#left < 0 || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) for (const item of value) this.#addValue(place, item);
    else this.#addObject(place, value as Answered);
  }

  #addObject(place: Place, object: Answered): void {
    const type = place.typeOf(object);
    if (type === undefined) return void this.unknown.add(place);
    const { idKey } = place.shapeOf(type);
    const value = idKey === undefined ? undefined : object[idKey];
    const id = typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
    this.types.add(type.name);
    if (id === undefined) this.unnamed.add(type.name);
    else getOrCreate(this.ids, type.name, () => new Set()).add(id);
    if (isAbstractType(place.type)) getOrCreate(this.abstract, place, () => new Set()).add(id);
    this.addFields(place, type, object);
  }
}
