import type { FieldNode, GraphQLField, GraphQLObjectType, GraphQLResolveInfo } from 'graphql';

import { notPlain } from '../built-in-scalars.ts';
import { resolverCall } from '../run/visible-arguments.ts';
import type { Resolver, ResolverCall } from '../run/visible-arguments.ts';
import type { Run } from '../run/run.ts';
import type { PlannedArguments } from './arguments.ts';
import type { Path } from './path.ts';
import { resultClassFor } from './result-classes.ts';
import type { ResultClass } from './result-classes.ts';

/** Completes the values of a type. One class per kind of type. */
export abstract class Shape {
  readonly nonNull: boolean;
  /** Which built-in scalar it is: see built-in-scalars.ts. */
  readonly plain: number;

  constructor(nonNull: boolean, plain: number = notPlain) {
    this.nonNull = nonNull;
    this.plain = plain;
  }

  /** Completes a value that is not a promise, an Error or null. Returns the value or a Pending. Throws unlocated errors. */
  abstract complete(position: Position, value: unknown): unknown;
}

/** The object or list that contains a field or an item. Its path is created when first needed. */
export interface Parent {
  readonly path: Path | undefined;
}

/** The position of a value in the response. */
export interface Position {
  readonly fieldRun: FieldRun;
  readonly shape: Shape;
  readonly path: Path;
}

/** One field of one object while it runs: see field-run.ts. */
export interface FieldRun extends Position {
  readonly run: Run;
  readonly field: PlannedField;
  readonly info: GraphQLResolveInfo;
}

/** Generated code that makes an object of a selection, like the loop in fields.ts. */
export type GeneratedCode = (run: Run, source: object, position: Position) => unknown;

/** Collects the fields below some nodes for an object of the type. `parts`: the effects of `@defer` and `@stream` on the field of the nodes. */
export type CollectFields = (type: GraphQLObjectType, nodes: readonly FieldNode[], parts?: FieldParts) => Selection;

/** The effects of `@defer` and `@stream` on a field. */
export interface FieldParts {
  /** The settings of `@stream`; undefined for a field without it. */
  readonly stream: Streaming | undefined;
}

/** A list whose items are delivered one by one. */
export interface Streaming {
  /** Completes the first items as `Shape.complete` does. Later items are streamed. */
  complete(position: Position, item: Shape, value: Iterable<unknown> | AsyncIterable<unknown>): unknown;
}

/** Fields of a selection that are delivered later. */
export interface Deferral {
  /** All fields of the object, with nothing deferred there and below. */
  readonly whole: Selection;
  /** Called once, with a function that creates a selection of deferred fields and one for all fields. */
  prepare(select: (fields: readonly PlannedField[]) => Selection, whole: () => Selection): void;
  /** True if objects below the other fields may have deferred fields that belong to fragments of this object. */
  readonly isShared: boolean;
  /** Called for each object before its fields are executed. Returns the run for its fields; undefined if the response has too many parts. */
  enter(run: Run, position: Position | undefined): Run | undefined;
  /** Called when the other fields of the object have been executed, with that run. */
  defer(run: Run, source: unknown, position: Position | undefined): void;
}

interface PlannedFieldInit extends Pick<PlannedField, 'responseName' | 'node' | 'definition' | 'parentType' | 'shape' | 'arguments'> {
  readonly collect: CollectFields;
}

/** A field of a selection, prepared for all runs. */
export class PlannedField {
  readonly responseName: string;
  readonly fieldName: string;
  /** The first of the nodes that are merged into this field. */
  readonly node: FieldNode;
  #nodes: FieldNode[] | undefined = undefined;
  /** The field in the schema. Its `resolve` is read in every run, because tools replace it. */
  readonly definition: GraphQLField<unknown, unknown>;
  readonly parentType: GraphQLObjectType;
  readonly shape: Shape;
  /** The arguments of the field, if it has any. */
  readonly arguments: PlannedArguments | undefined;
  /** The value of `__typename`; undefined for other fields. */
  readonly typename: string | undefined;
  // The resolver of the last call.
  #resolve: Resolver | undefined = undefined;
  #call: ResolverCall | undefined = undefined;
  /** The effects of `@defer` and `@stream`; undefined for most fields. */
  parts: FieldParts | undefined = undefined;
  readonly #collect: CollectFields;

  constructor(init: PlannedFieldInit) {
    this.responseName = init.responseName;
    this.fieldName = init.node.name.value;
    this.node = init.node;
    this.definition = init.definition;
    this.parentType = init.parentType;
    this.shape = init.shape;
    this.arguments = init.arguments;
    this.typename = this.fieldName === '__typename' ? init.parentType.name : undefined;
    this.#collect = init.collect;
  }

  /** All nodes that are merged into this field. Resolvers get copies: see SharedInfo.nodesOf. */
  get nodes(): FieldNode[] {
    return (this.#nodes ??= [this.node]);
  }

  callOf(resolve: Resolver): ResolverCall {
    if (this.#resolve !== resolve) {
      this.#call = resolverCall(resolve);
      this.#resolve = resolve;
    }
    return this.#call!;
  }

  /** Collects the fields to run for an object of the type: see ObjectShape, which keeps them. */
  selectionFor(type: GraphQLObjectType): Selection {
    return this.#collect(type, this.nodes, this.parts);
  }
}

/** The fields to run for one object, in the order of the response. */
export class Selection {
  readonly fields: readonly PlannedField[];
  readonly type: GraphQLObjectType;
  /** The nodes whose selection sets it merges. */
  readonly nodes: readonly FieldNode[];
  /** Another selection of the type that begins with the same node. */
  next: Selection | undefined = undefined;
  /** Makes an empty object. */
  readonly Result: ResultClass;
  /** Characters counted for an object: its names, and one for each value. */
  readonly size: number;
  /** Number of objects so far, and the code that is generated after many: see generated-code.ts. */
  runs = 0;
  code: GeneratedCode | undefined = undefined;
  /** The deferred fields of the selection; undefined if all fields belong to one part. */
  readonly deferral: Deferral | undefined;

  constructor(fields: readonly PlannedField[], { type, nodes, deferral }: SelectionSubject) {
    this.fields = fields;
    this.deferral = deferral;
    this.type = type;
    this.nodes = nodes;
    this.size = fields.reduce((size, { responseName, typename = '' }) => size + responseName.length + typename.length + 5, 1);
    this.Result = resultClassFor(fields.length);
  }
}

/** The objects that a selection is for: their type, the nodes that select their fields, and what is deferred. */
type SelectionSubject = Pick<Selection, 'type' | 'nodes'> & Partial<Pick<Selection, 'deferral'>>;
