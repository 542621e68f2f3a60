import { Kind, parse, validate } from 'graphql';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import type { Random } from '../../../support/random.ts';
import { objectTypes } from './model.ts';
import type { FieldModel, Model } from './model.ts';

/** A valid operation with its variables. */
export interface RandomOperation {
  readonly text: string;
  /** Without `@defer` and `@stream`. */
  readonly document: DocumentNode;
  readonly operationName: string;
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly variables: Readonly<Record<string, unknown>>;
  readonly isDeferred: boolean;
}

/** Two possibilities for each variable of conditions, so that a document is sent with different values. */
const conditions: Readonly<Record<string, readonly [definition: string, values: readonly unknown[]]>> = {
  skip0: ['Boolean!', [true, false]],
  skip1: ['Boolean = true', [true, false, null, null, undefined]],
  take0: ['Boolean!', [true, false]],
  take1: ['Boolean = false', [true, false, null, null, undefined]],
};

export class OperationGenerator {
  readonly #model: Model;
  readonly #random: Random;
  /** The schema of the reference. */
  readonly #schema: GraphQLSchema;
  /** The number of documents, which names of operations end with. */
  #documents = 0;
  #aliases = 0;
  #fragments = new Map<string, { readonly on: string; readonly text: string }>();
  #isDeferred = false;
  /** Small operations show a single missing rule. */
  #isSmall = false;

  constructor(model: Model, random: Random, schema: GraphQLSchema) {
    this.#model = model;
    this.#random = random;
    this.#schema = schema;
  }

  /** One document, sent with up to three sets of variables. */
  next(): readonly RandomOperation[] {
    for (;;) {
      const operations = this.#tryNext();
      if (operations.length > 0) return operations;
    }
  }

  /** Empty: the document is not valid. */
  #tryNext(): readonly RandomOperation[] {
    const random = this.#random;
    this.#documents++;
    this.#aliases = 0;
    this.#fragments = new Map();
    this.#isDeferred = false;
    this.#isSmall = random.chance(0.5);
    const kind = random.pick(['query', 'query', 'query', 'query', 'mutation', 'mutation', 'subscription'] as const);
    const first = this.#operation(kind, 'First');
    const second = random.chance(0.15) ? this.#operation(random.pick(['query', 'mutation'] as const), 'Second') : '';
    const used = this.#fragmentsIn(first + second);
    const bodies = [first, second].filter((one) => one !== '').map((one) => this.#withVariables(one));
    const whole = [...(random.chance(0.5) ? bodies : bodies.toReversed()), ...used].join('\n');
    const document = parse(withoutParts(whole));
    const text = kind === 'subscription' ? withoutParts(whole) : whole;
    if (validate(this.#schema, document).length > 0) return [];
    const chosen = `${second === '' || random.chance(0.5) ? 'First' : 'Second'}${this.#documents}`;
    const node = document.definitions.find(
      (one): one is OperationDefinitionNode => one.kind === Kind.OPERATION_DEFINITION && one.name?.value === chosen,
    )!;
    return Array.from({ length: 1 + random.below(3) }, () => ({
      text,
      document,
      operationName: chosen,
      kind: node.operation,
      variables: this.#values(node),
      isDeferred: this.#isDeferred && kind !== 'subscription',
    }));
  }

  #operation(kind: 'query' | 'mutation' | 'subscription', name: string): string {
    const isSubgraph = this.#model.entities.length > 0;
    if (kind === 'query' && this.#random.chance(0.18)) return `query ${name}${this.#documents} { ${this.#metaField()} }`;
    if (kind === 'query' && isSubgraph && this.#random.chance(0.3)) return `query ${name}${this.#documents} { ${this.#entitiesField(2)} }`;
    const root = this.#model.roots[kind];
    const fields = kind === 'subscription' ? this.#field(root, [...this.#model.types.get(root)!.fields.values()].at(-1)!, 3) : undefined;
    return `${kind} ${name}${this.#documents} ${fields === undefined ? this.#selections(root, 3, kind === 'query') : `{ ${fields} }`}`;
  }

  #selections(type: string, depth: number, isRoot = false): string {
    const random = this.#random;
    const count = 1 + random.below(this.#isSmall ? 1 : 3);
    const parts = Array.from({ length: count }, () => this.#selection(type, depth, isRoot));
    return `{ ${parts.join(' ')} }`;
  }

  #selection(type: string, depth: number, isRoot: boolean): string {
    const random = this.#random;
    const { entities, types } = this.#model;
    if (isRoot && entities.length > 0 && random.chance(0.35)) return this.#entitiesField(depth);
    if (isRoot && random.chance(0.06)) return this.#metaField();
    const kind = random.below(10);
    if (kind === 0) return `${this.#alias(0.3)}__typename${this.#condition(0.3)}`;
    if (depth > 0 && kind < 4) return this.#inlineFragment(type, depth);
    if (depth > 0 && kind < 7) return this.#spread(type);
    const fields = [...types.get(type)!.fields.values()].filter(({ target }) => depth > 0 || !this.#isComposite(target));
    if (fields.length === 0) return depth > 0 ? this.#inlineFragment(type, depth) : `__typename${this.#condition(0.3)}`;
    const ofObjects = fields.filter(({ target }) => this.#isComposite(target));
    return this.#field(type, random.pick(ofObjects.length > 0 && random.chance(0.6) ? ofObjects : fields), depth);
  }

  /** A field that nobody protects. */
  #metaField(): string {
    const all = ['__schema { queryType { name } }', '__type(name: "T0") { name fields { name } }'];
    const isSubgraph = this.#model.entities.length > 0 && this.#random.chance(0.7);
    return `${this.#alias(0.5)}${isSubgraph ? '_service { sdl }' : this.#random.pick(all)}`;
  }

  #isComposite(target: string): boolean {
    return ['object', 'interface', 'union'].includes(this.#model.types.get(target)?.kind ?? 'scalar');
  }

  #field(owner: string, { name, target, wrap, argument }: FieldModel, depth: number): string {
    const random = this.#random;
    const isSubscription = owner === this.#model.roots.subscription;
    const given = argument === undefined ? '' : '(given: V1)';
    const condition = isSubscription ? '' : this.#condition(0.15);
    const alias = this.#alias(0.4);
    const stream = alias !== '' && wrap.includes('[') ? this.#stream(owner) : '';
    const head = `${alias}${name}${given}${condition}${stream}`;
    if (!this.#isComposite(target)) return head;
    // A selection that is empty when it runs.
    if (random.chance(0.25)) {
      const nothing = ['__typename @skip(if: true)', '__typename @include(if: $take1)', '... @skip(if: $skip1) { x: __typename }'];
      return `${head} { ${random.pick(nothing)} }`;
    }
    return `${head} ${this.#selections(target, depth - 1)}`;
  }

  #inlineFragment(type: string, depth: number): string {
    const on = this.#random.chance(0.1) ? undefined : this.#overlapping(type);
    const head = on === undefined ? '...' : `... on ${on}`;
    return `${head}${this.#condition(0.15)}${this.#defer(type)} ${this.#selections(on ?? type, depth - (this.#random.chance(0.3) ? 0 : 1))}`;
  }

  /** Spreads a fragment, preferably one that another selection spreads too. */
  #spread(type: string): string {
    const random = this.#random;
    const fits = [...this.#fragments].filter(([, { on }]) => this.#doOverlap(type, on));
    if (fits.length > 0 && random.chance(0.8)) return `...${random.pick(fits)[0]}${this.#condition(0.15)}${this.#defer(type)}`;
    const on = type !== '_Entity' && random.chance(0.5) ? type : this.#overlapping(type);
    const text = this.#selections(on, 1);
    const name = `F${this.#fragments.size}`;
    this.#fragments.set(name, { on, text });
    return `...${name}${this.#condition(0.15)}${this.#defer(type)}`;
  }

  /** A composite type that has an object type in common with this one. */
  #overlapping(type: string): string {
    const all = [...this.#model.types.keys()].filter((name) => this.#isComposite(name) && this.#doOverlap(type, name));
    return all.length === 0 ? type : this.#random.pick(all);
  }

  #doOverlap(one: string, other: string): boolean {
    const names = new Set(this.#objectTypes(one));
    return this.#objectTypes(other).some((name) => names.has(name));
  }

  #objectTypes(name: string): readonly string[] {
    const { types, entities } = this.#model;
    return name === '_Entity' ? entities.filter((one) => types.get(one)!.kind === 'object') : objectTypes(types, name);
  }

  #alias(chance: number): string {
    return this.#random.chance(chance) ? `x${this.#aliases++}: ` : '';
  }

  #condition(chance: number): string {
    const random = this.#random;
    if (!random.chance(chance)) return '';
    const skip = `@skip(if: ${random.pick(['true', 'false', '$skip0', '$skip1', '$skip1', '$take0'])})`;
    const include = `@include(if: ${random.pick(['true', 'false', '$take0', '$take1', '$take1', '$skip0'])})`;
    return ` ${random.pick([skip, include, skip, include, `${skip} ${include}`])}`;
  }

  #defer(type: string): string {
    if (!this.#random.chance(0.12) || !this.#allowsParts(type)) return '';
    this.#isDeferred = true;
    return this.#random.pick([' @defer', ' @defer(if: true)', ' @defer(if: $take0)']);
  }

  #stream(owner: string): string {
    if (!this.#random.chance(0.1) || !this.#allowsParts(owner)) return '';
    this.#isDeferred = true;
    return this.#random.pick([' @stream', ' @stream(initialCount: 1)', ' @stream(if: $take0)']);
  }

  /** The fields of the roots of mutations and subscriptions cannot be deferred, nor can they be streams. */
  #allowsParts(type: string): boolean {
    const { types, roots } = this.#model;
    return [roots.mutation, roots.subscription].every((root) => type !== root && types.get(root)!.interfaces.length === 0);
  }

  #entitiesField(depth: number): string {
    const random = this.#random;
    const representations = random.pick([
      '$list',
      '$withDefault',
      '$withDefault',
      `[${this.#representation()}, $one]`,
      '[{ __typename: $name, id: "1" }]',
      `[{ __typename: $name, id: "1" }, ${this.#representation()}]`,
      `[${this.#representation()}]`,
      '[]',
    ]);
    const selections = Array.from({ length: 1 + random.below(2) }, () =>
      random.chance(0.2) ? `__typename${this.#condition(0.4)}` : random.chance(0.3) ? this.#spread('_Entity') : this.#entityFragment(depth),
    );
    return `${this.#alias(0.9)}_entities(representations: ${representations})${this.#condition(0.1)} { ${selections.join(' ')} }`;
  }

  #entityFragment(depth: number): string {
    const on = this.#overlapping('_Entity');
    return `... on ${on} ${this.#selections(on, depth - 1)}`;
  }

  #representation(): string {
    return `{ __typename: ${JSON.stringify(this.#nameOfEntity())}, id: "1" }`;
  }

  /** Sometimes the name of a type that has no objects of its own, or of no type. */
  #nameOfEntity(): string {
    const { entities, types } = this.#model;
    const others = [...[...types.keys()].filter((name) => /^[EUS]\d/.test(name)), 'Unknown', 'ID', '_Entity', 'constructor'];
    return this.#random.pick(this.#random.chance(0.2) ? others : entities);
  }

  /** The texts of the fragments that are spread in a text, directly or by others. */
  #fragmentsIn(text: string): readonly string[] {
    const used = spreadsIn(text, this.#fragments);
    return [...used].map((name) => `fragment ${name} on ${this.#fragments.get(name)!.on} ${this.#fragments.get(name)!.text}`);
  }

  /** Adds the definitions of the variables of an operation. */
  #withVariables(operation: string): string {
    const texts = [operation, ...[...spreadsIn(operation, this.#fragments)].map((name) => this.#fragments.get(name)!.text)];
    const used = new Set(texts.flatMap((text) => [...text.matchAll(/\$(\w+)/g)].map(([, name]) => name!)));
    if (used.size === 0) return operation;
    const types: Readonly<Record<string, string>> = {
      list: '[_Any!]!',
      withDefault: `[_Any!]! = [${this.#representation()}]`,
      one: '_Any!',
      name: 'String!',
    };
    const definitions = [...used].map((name) => `$${name}: ${types[name] ?? conditions[name]![0]}`);
    return operation.replace(/^(\w+ \w+)/, `$1(${definitions.join(', ')})`);
  }

  #values({ variableDefinitions = [] }: OperationDefinitionNode): Readonly<Record<string, unknown>> {
    const random = this.#random;
    const representation = (): unknown =>
      random.chance(0.05) ? random.pick<unknown>([{}, 'text', 7, { __typename: 5 }]) : { __typename: this.#nameOfEntity(), id: '1' };
    const values: Readonly<Record<string, () => unknown>> = {
      list: () => Array.from({ length: random.below(3) }, representation),
      withDefault: () => (random.chance(0.5) ? undefined : [representation()]),
      one: representation,
      name: () => this.#nameOfEntity(),
    };
    const entries = variableDefinitions.map(({ variable: { name } }) => {
      const own = values[name.value];
      return [name.value, own === undefined ? random.pick(conditions[name.value]![1]) : own()] as const;
    });
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }
}

function spreadsIn(text: string, fragments: ReadonlyMap<string, { readonly text: string }>): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (part: string): void => {
    for (const [, name] of part.matchAll(/\.\.\.(F\d+)/g)) {
      if (found.has(name!)) continue;
      found.add(name!);
      visit(fragments.get(name!)!.text);
    }
  };
  visit(text);
  return found;
}

/** Removes `@defer` and `@stream`, which change no right, and which graphql-js's `execute` refuses. */
function withoutParts(text: string): string {
  return text.replaceAll(/ @(?:defer|stream)(?:\(\w+: [$\w]+\))?/g, '');
}
