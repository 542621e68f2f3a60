import { getNullableType, isListType, Kind } from 'graphql';
import type { FieldNode, GraphQLField, GraphQLFieldMap, GraphQLObjectType, GraphQLOutputType, GraphQLResolveInfo } from 'graphql';

import { resolverCall } from '../../message/visible-arguments.ts';
import type { Resolver, ResolverCall } from '../../message/visible-arguments.ts';
import type { ObjectIdentity } from '../object-log.ts';
import { noNodes } from '../own-nodes.ts';
import type { NodesHolder, OwnNodes } from '../own-nodes.ts';
import type { Run } from '../run.ts';
import { ownClassFor, sharedClassFor, sharedUses } from './result-classes.ts';
import type { ResultClass, ResultClasses, ResultObject } from './result-classes.ts';

/** Where a value stands in the response: a chain from the value up to the root, as resolvers get it in `info.path`. */
export type Path = GraphQLResolveInfo['path'];

/** The path of what stands below `prev`: a field of the type `typename`, or an item of a list (no type name). */
export function addPath(prev: Path | undefined, key: string | number, typename: string | undefined): Path {
  return { prev, key, typename };
}

/** How a value of one type becomes a part of the response. One implementation per kind of type. */
export interface Shape {
  readonly nonNull: boolean;
  /** Which values of a built-in scalar are the response as they are: see leaf.ts. */
  readonly plain: number;
  /**
   * Completes a value that is neither a promise, nor an Error, nor null. Returns the completed value, or a Pending
   * when something below is asynchronous. Throws whatever went wrong, not yet located.
   */
  complete(position: Position, value: unknown): unknown;
  /** The fields of every object of this shape below the field; undefined when each object must be asked first. Only objects of one type have it. */
  selectionFor?(field: PlannedField): Selection | undefined;
}

/** Where a value stands: at a field, or in a list that the field returned. */
export interface Position {
  readonly fieldRun: FieldRun;
  readonly shape: Shape;
  readonly path: Path;
}

/** One field of one object while it is run: see field-run.ts. */
export interface FieldRun extends Position {
  readonly run: Run;
  readonly field: PlannedField;
  /** The fourth argument of its resolver. The `resolveType` and `isTypeOf` below it get the same. */
  readonly info: GraphQLResolveInfo;
}

/** The arguments of a field, worked out as far as they can be before it runs: see arguments.ts. */
export interface PlannedArguments {
  /** True when they are right, whatever the variables are. */
  readonly areConstant: boolean;
  isCurrent(): boolean;
  /** The values for one run, in an object of the resolver's own. Throws graphql-js's error where one is wrong. */
  valuesFor(node: FieldNode, run: Run): Record<string, unknown>;
}

/** Collects the fields below some nodes, for the type that an object turned out to have. */
export type CollectFields = (type: GraphQLObjectType, nodes: readonly FieldNode[]) => Selection;

interface PlannedFieldInit {
  readonly responseName: string;
  readonly node: FieldNode;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly parentType: GraphQLObjectType;
  readonly shape: Shape;
  readonly arguments: PlannedArguments | undefined;
  readonly collect: CollectFields;
}

/** A field of a selection with all that is known of it before it runs. */
export class PlannedField implements NodesHolder {
  readonly responseName: string;
  readonly fieldName: string;
  readonly isAliased: boolean;
  /** How many lists the field stands in. */
  lists = 0;
  /** The first node that asks for this field under this name. */
  readonly node: FieldNode;
  /** All, once they are asked for, or are several. */
  #nodes: FieldNode[] | undefined = undefined;
  /** The copy of the execution that used the field last, and whose it is. */
  ownNodes: FieldNode[] = noNodes;
  nodesOwner: OwnNodes | undefined = undefined;
  /** Its `resolve` is read at every run: a resolver that was replaced counts from then on. */
  readonly definition: GraphQLField<unknown, unknown>;
  readonly parentType: GraphQLObjectType;
  readonly shape: Shape;
  /** Undefined for a field that has none. */
  readonly arguments: PlannedArguments | undefined;
  /** The type that the shape was made for. */
  readonly returnType: GraphQLOutputType;
  /** The answer of `__typename`; undefined for every other field. */
  readonly typename: string | undefined;
  // Of the resolver that was called last.
  #resolve: Resolver | undefined = undefined;
  #call: ResolverCall | undefined = undefined;
  readonly #collect: CollectFields;
  // Made when a field meets a second type: an empty Map is larger than the rest of the field.
  #selections: Map<GraphQLObjectType, Selection> | undefined = undefined;
  // Nearly every field meets one type only: remembering the last one spares a look-up per object.
  #lastType: GraphQLObjectType | undefined = undefined;
  #lastSelection: Selection | undefined = undefined;

  constructor(init: PlannedFieldInit) {
    this.responseName = init.responseName;
    this.fieldName = init.node.name.value;
    this.isAliased = this.responseName !== this.fieldName;
    this.node = init.node;
    this.definition = init.definition;
    this.parentType = init.parentType;
    this.shape = init.shape;
    this.returnType = init.definition.type;
    this.arguments = init.arguments;
    this.typename = this.fieldName === '__typename' ? init.parentType.name : undefined;
    this.#collect = init.collect;
  }

  /** Every node that asks for this field under this name. The plan's own: an execution hands out its copy (Run.nodesOf). */
  get nodes(): FieldNode[] {
    return (this.#nodes ??= [this.node]);
  }

  /** How to call a resolver. */
  callOf(resolve: Resolver): ResolverCall {
    if (this.#resolve !== resolve) {
      this.#call = resolverCall(resolve);
      this.#resolve = resolve;
    }
    return this.#call!;
  }

  copyNodes(): FieldNode[] {
    return this.#nodes?.slice() ?? [this.node];
  }

  /** True when the schema still has the field as it was planned, among these of its type. Those of introspection belong to none. */
  isCurrent(fields: GraphQLFieldMap<unknown, unknown>): boolean {
    const { definition, fieldName } = this;
    if (fields[fieldName] !== definition && !fieldName.startsWith('__')) return false;
    if (definition.type !== this.returnType) return false;
    return this.arguments === undefined ? definition.args.length === 0 : this.arguments.isCurrent();
  }

  /** The fields to run below this one for an object of the type. Made when first needed. */
  selectionFor(type: GraphQLObjectType): Selection {
    if (this.#lastType === type) return this.#lastSelection!;
    const selection = this.#selections?.get(type) ?? this.#addSelection(type);
    this.#lastType = type;
    this.#lastSelection = selection;
    return selection;
  }

  #addSelection(type: GraphQLObjectType): Selection {
    if (this.#lastType !== undefined) this.#selections ??= new Map([[this.#lastType, this.#lastSelection!]]);
    const selection = this.#collect(type, this.nodes);
    selection.nestIn(this.lists + (isListType(getNullableType(this.definition.type)) ? 1 : 0));
    this.#selections?.set(type, selection);
    return selection;
  }
}

/** Makes the result of a whole object at once. What is not plain is asked of `rest`. */
export interface RowBuilder {
  (source: object, rest: RowRest): ResultObject;
  /** The fields that it reads from properties. */
  properties?: readonly PlannedField[];
}

/** What a row builder leaves to others. The numbers are those of the fields in the selection. */
export interface RowRest {
  readonly context: unknown;
  /** Runs a field in the ordinary way. */
  run(field: number): unknown;
  /** The same for a resolver that has taken the place of the one that the code calls. */
  replaced(field: number): unknown;
  /** The arguments of a resolver, and the field it runs for, which has its `info`. */
  values(field: number): Record<string, unknown>;
  start(field: number): FieldRun;
  /** Completes what ought to be the object of a field. */
  object(field: number, value: unknown, started?: FieldRun): unknown;
  /** Completes what a resolver returned, or the value of a property. */
  resolved(field: number, value: unknown, started?: FieldRun): unknown;
  complete(field: number, value: unknown): unknown;
  /** The answer grows by the object, and by the characters of its texts. */
  grow(characters: number): void;
  /** A property could not be read, or a resolver has thrown. */
  fail(field: number, thrown: unknown): null;
}

/** The fields to run for one object, in the order of the response. */
export class Selection {
  readonly fields: readonly PlannedField[];
  /** The type whose fields they are, and the nodes that ask for them. */
  readonly type: GraphQLObjectType;
  readonly nodes: readonly FieldNode[];
  /** Another one that begins with the same node: of another type, or with further nodes. */
  readonly next: Selection | undefined;
  /** How many they are, this one included. */
  readonly rank: number;
  readonly #classes: ResultClasses;
  /** Makes its next object. */
  #Result: ResultClass;
  #made = 0;
  #lists = 0;
  /** Characters of JSON that such an object has at least, its names and one for each value; more of it in lists of lists. */
  size: number;
  /** How often it has been run on the items of a list, and the code made for that since: see rows.ts. */
  rowsSeen = 0;
  buildRow: RowBuilder | undefined = undefined;
  /** How its objects are listed: see object-log.ts. */
  identity: ObjectIdentity | undefined = undefined;

  constructor(fields: readonly PlannedField[], { type, nodes, classes, next }: SelectionOrigin) {
    this.fields = fields;
    this.type = type;
    this.nodes = nodes;
    this.size = nodes[0]?.alias === undefined ? 1 : sizeOfAliasedObject;
    for (let at = 0; at < fields.length; at++) this.size += fields[at]!.responseName.length + (fields[at]!.typename?.length ?? 0) + 5;
    this.next = next;
    this.rank = next === undefined ? 1 : next.rank + 1;
    this.#classes = classes;
    this.#Result = sharedClassFor(fields.length);
  }

  /** A field that nobody has asked for, for the `info` of its resolver. */
  hiddenField(definition: GraphQLField<unknown, unknown>): PlannedField {
    const node: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: definition.name } };
    const init = { responseName: definition.name, node, definition, parentType: this.type, shape: hiddenShape, arguments: undefined };
    return new PlannedField({ ...init, collect: nothingBelow });
  }

  /** An object for the results of its fields. */
  createResult(): ResultObject {
    if (this.#made < sharedUses && ++this.#made === sharedUses) this.#Result = ownClassFor(this.fields, this.#classes);
    return new this.#Result();
  }

  /** Its code is of no use any more. */
  forgetCode(): void {
    this.rowsSeen = 0;
    this.buildRow = undefined;
  }

  /** True when the schema still has all of its fields as they were planned. */
  isCurrent(): boolean {
    const known = this.type.getFields();
    for (let at = 0; at < this.fields.length; at++) if (!this.fields[at]!.isCurrent(known)) return false;
    return true;
  }

  /** Says how many lists its objects stand in. Each field that leads to it says so: the most counts, once. */
  nestIn(lists: number): void {
    if (lists <= this.#lists) return;
    for (const field of this.fields) field.lists = lists;
    this.size += (Math.max(0, lists - 2) - Math.max(0, this.#lists - 2)) * sizeInLists;
    this.#lists = lists;
  }
}

/** Nothing is completed of a hidden field. */
const hiddenShape: Shape = { nonNull: false, plain: 0, complete: (_fieldRun, value) => value };

function nothingBelow(): never {
  throw new Error('A hidden field has nothing below it.');
}

/**
 * The size of an object beyond its own, for each list around it but two: in lists of two, twenty deep, are a million
 * objects, which take a second before they are 6 MiB. Data have few lists within lists within lists.
 */
export const sizeInLists = 64;

/**
 * The size of an item of a generator, beside its own. It is what the item takes of memory while the list is read, not of the answer:
 * a generator may have no end, which one that a client is meant to stream has not.
 */
export const sizeOfRead = 8;

/** The size of an object under an alias, beside its fields: a client may ask for one object a thousand times. */
const sizeOfAliasedObject = 16;

/** Where a selection comes from. */
interface SelectionOrigin {
  readonly type: GraphQLObjectType;
  readonly nodes: readonly FieldNode[];
  /** Of the plan. */
  readonly classes: ResultClasses;
  readonly next: Selection | undefined;
}

/** Undefined also where there can be none: then each object has an error. */
export function selectionBelow(field: PlannedField, shape: Shape = field.shape): Selection | undefined {
  try {
    return shape.selectionFor?.(field);
  } catch {
    return undefined;
  }
}
