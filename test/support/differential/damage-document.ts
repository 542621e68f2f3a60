import { Kind, parse, parseType, parseValue } from 'graphql';
import type { ASTNode, DocumentNode, GraphQLSchema } from 'graphql';

import type { Random } from '../random.ts';

type Mutable = Record<string, unknown> & { kind: string };

/** Copies the document with one to three mistakes of the kinds that validation rules detect. Some leave it valid. */
export function damageDocument(random: Random, document: DocumentNode, schema: GraphQLSchema): DocumentNode {
  const damaged = copy(document);
  for (let mistakes = 1 + random.below(3); mistakes > 0; mistakes--) random.pick(kinds)(new Damage(random, damaged, schema));
  return damaged;
}

function copy<T>(node: T): T {
  return JSON.parse(JSON.stringify(node)) as T;
}

function typeNode(text: string): ASTNode {
  return parseType(text, { noLocation: true });
}

/** Holds the nodes of a document by kind, and changes them in place. */
class Damage {
  readonly random: Random;
  readonly document: DocumentNode;
  readonly #typeNames: readonly string[];
  readonly #nodes = new Map<string, Mutable[]>();

  constructor(random: Random, document: DocumentNode, schema: GraphQLSchema) {
    this.random = random;
    this.document = document;
    this.#typeNames = [...Object.keys(schema.getTypeMap()), 'Nothing'];
    this.#collect(document);
  }

  /** Changes a random node of these kinds, if there is one. */
  change(nodeKinds: readonly Kind[], alter: (node: Mutable, random: Random) => void): void {
    const candidates = nodeKinds.flatMap((kind) => this.#nodes.get(kind) ?? []);
    if (candidates.length > 0) alter(this.random.pick(candidates), this.random);
  }

  /** Changes a list of child nodes: removes one, repeats one, or inserts one from elsewhere. */
  changeList(nodeKinds: readonly Kind[], list: string, elsewhere: readonly ASTNode[] = []): void {
    this.change(nodeKinds, (node, random) => {
      const children = [...((node[list] as unknown[] | undefined) ?? [])];
      const at = random.below(children.length + 1);
      if (elsewhere.length > 0 && random.chance(0.4)) children.splice(at, 0, copy(random.pick(elsewhere)));
      else if (random.chance(0.5)) children.splice(at, 1);
      else if (at < children.length) children.splice(at, 0, copy(children[at]));
      node[list] = children;
    });
  }

  /** Gives a random node of these kinds the name of another such node, or an unknown name. */
  rename(nodeKinds: readonly Kind[]): void {
    const names = nodeKinds
      .flatMap((kind) => this.#nodes.get(kind) ?? [])
      .map(({ name }) => (name as { value: string } | undefined)?.value);
    this.change(nodeKinds, (node, random) => {
      if (node['name'] !== undefined)
        node['name'] = { kind: Kind.NAME, value: random.chance(0.2) ? 'nobody' : (random.pick(names) ?? 'nobody') };
    });
  }

  typeName(): string {
    return this.random.pick(this.#typeNames);
  }

  #collect(value: unknown): void {
    if (Array.isArray(value)) {
      for (const item of value) this.#collect(item);
    } else if (typeof value === 'object' && value !== null) {
      const node = value as Mutable;
      if (!this.#nodes.has(node.kind)) this.#nodes.set(node.kind, []);
      this.#nodes.get(node.kind)?.push(node);
      for (const child of Object.values(node)) this.#collect(child);
    }
  }
}

const literals =
  '1 | -1 | 3000000000 | 1.5 | "text" | true | null | RED | PINK | [] | [1, null] | [[{}]] | {} | { need: 1 } | { need: null } | { size: 1, size: 2 } | { spare: 1.5 }';
const literalNodes = [
  ...literals.split(' | ').map((text) => parseValue(text, { noLocation: true })),
  ...['v0', 'v1', 'c0', 'nobody'].map((name) => ({ kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: name } })),
];
const argumentNodes = ['number: 1', 'flag: true', 'text: null', 'strict: { need: 1 }', 'nothing: 1'].flatMap(
  (text) => selectionsOf(`{ x(${text}) }`)[0]!.arguments ?? [],
);
const directives = 'skip(if: true) | include(if: $c0) | skip(if: null) | skip | skip(unless: true) | deprecated | defer | nobody';
const directiveNodes = directives.split(' | ').flatMap((text) => selectionsOf(`{ x @${text} }`)[0]!.directives ?? []);
const selectionNodes = selectionsOf(
  '{ __typename a: __typename field0 a: field1 b: root0 b: root1 shared0Node ...Part0 ...Part1 ...Nobody ... { __typename } ... on Thing0 { field0 a: field2 } ... on Node { __typename } __schema { description } field3 { __typename } field2(number: 1) }',
);
const definitionNodes = parse(
  'query Test { __typename } query Other { __typename } { __typename } subscription S { root0 } mutation M { __typename } fragment Part0 on Thing0 { __typename } fragment Part1 on Color { __typename } fragment Part8 on Thing1 { __typename ...Part8 } type T { f: Int }',
  { noLocation: true },
).definitions;

function selectionsOf(text: string): readonly { arguments?: readonly ASTNode[]; directives?: readonly ASTNode[] }[] & readonly ASTNode[] {
  const [definition] = parse(text, { noLocation: true }).definitions;
  return definition?.kind === Kind.OPERATION_DEFINITION ? (definition.selectionSet.selections as never) : [];
}

/** Adds a second copy of one of its fields to a selection set, with some of the values written differently. */
function repeatOtherwise(node: Mutable, random: Random): void {
  const selections = node['selections'] as Mutable[];
  const fields = selections.filter((selection) => ((selection['arguments'] as unknown[] | undefined)?.length ?? 0) > 0);
  if (fields.length === 0) return;
  const again = copy(random.pick(fields));
  rewriteValues(again['arguments'], random);
  selections.push(again);
}

function rewriteValues(value: unknown, random: Random): void {
  if (typeof value !== 'object' || value === null) return;
  for (const child of Object.values(value)) rewriteValues(child, random);
  const node = value as Mutable;
  if (!random.chance(0.5)) return;
  if (node.kind === Kind.STRING) node['block'] = node['block'] !== true;
  if (node.kind === Kind.FLOAT) node['value'] = `${String(node['value'])}e0`;
  if (node.kind === Kind.LIST && (node['values'] as unknown[]).length === 1) Object.assign(node, (node['values'] as unknown[])[0]);
  if (node.kind === Kind.OBJECT) (node['fields'] as unknown[]).reverse();
}

const values: readonly Kind[] = [
  Kind.INT,
  Kind.FLOAT,
  Kind.STRING,
  Kind.BOOLEAN,
  Kind.NULL,
  Kind.ENUM,
  Kind.LIST,
  Kind.OBJECT,
  Kind.VARIABLE,
];

const variableTypes = ['Int', 'Int!', '[Int]', 'String', 'ID!', 'Boolean', 'Boolean!', 'Box', 'Box!', 'Strict', '[Box!]', 'Color', 'Float'];

const renamed: readonly Kind[] = [Kind.ARGUMENT, Kind.FIELD, Kind.FRAGMENT_DEFINITION, Kind.VARIABLE, Kind.DIRECTIVE, Kind.OBJECT_FIELD];

const kinds: readonly ((damage: Damage) => void)[] = [
  ...renamed.map((kind) => (damage: Damage) => damage.rename([kind])),
  (damage) => damage.rename([Kind.FRAGMENT_SPREAD, Kind.FRAGMENT_DEFINITION]),
  (damage) => damage.changeList([Kind.FIELD], 'arguments', argumentNodes),
  (damage) => damage.changeList([Kind.OBJECT], 'fields'),
  (damage) => damage.changeList([Kind.OBJECT], 'fields'),
  (damage) => damage.changeList([Kind.OPERATION_DEFINITION], 'variableDefinitions'),
  (damage) => damage.changeList([Kind.SELECTION_SET], 'selections', selectionNodes),
  (damage) => damage.changeList([Kind.SELECTION_SET], 'selections', selectionNodes),
  (damage) => damage.change([Kind.SELECTION_SET], repeatOtherwise),
  (damage) => damage.changeList([Kind.FIELD, Kind.INLINE_FRAGMENT, Kind.FRAGMENT_SPREAD], 'directives', directiveNodes),
  (damage) =>
    damage.changeList([Kind.OPERATION_DEFINITION, Kind.FRAGMENT_DEFINITION, Kind.VARIABLE_DEFINITION], 'directives', directiveNodes),
  (damage) => damage.changeList([Kind.DOCUMENT], 'definitions', definitionNodes),
  (damage) => damage.change(values, (node, random) => void Object.assign(node, copy(random.pick(literalNodes)))),
  (damage) => damage.change(values, (node, random) => void Object.assign(node, copy(random.pick(literalNodes)))),
  (damage) =>
    damage.change([Kind.VARIABLE_DEFINITION], (node, random) => {
      node['type'] = typeNode(random.chance(0.2) ? damage.typeName() : random.pick(variableTypes));
    }),
  (damage) =>
    damage.change([Kind.VARIABLE_DEFINITION], (node, random) => void (node['defaultValue'] = copy(random.pick(literalNodes.slice(0, -4))))),
  (damage) => damage.change([Kind.VARIABLE_DEFINITION], (node) => void delete node['defaultValue']),
  (damage) =>
    damage.change([Kind.INLINE_FRAGMENT, Kind.FRAGMENT_DEFINITION], (node) => void (node['typeCondition'] = typeNode(damage.typeName()))),
  (damage) =>
    damage.change(
      [Kind.FIELD],
      (node, random) => void (node['alias'] = { kind: Kind.NAME, value: random.pick(['a', 'field0', 'field1', 'root0', 'shared0Node']) }),
    ),
  (damage) =>
    damage.change(
      [Kind.FIELD],
      (node) =>
        void (node['selectionSet'] =
          node['selectionSet'] === undefined ? { kind: Kind.SELECTION_SET, selections: [copy(selectionNodes[0]!)] } : undefined),
    ),
  (damage) =>
    damage.change(
      [Kind.FRAGMENT_DEFINITION],
      (node) =>
        void (node['selectionSet'] as { selections: unknown[] }).selections.push({ kind: Kind.FRAGMENT_SPREAD, name: copy(node['name']) }),
    ),
];
