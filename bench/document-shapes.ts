import type { DocumentShape } from './plan-shapes.ts';

/**
 * Documents, each of them large in one respect: arguments of every kind, literals, variables, directives, fragments, operations,
 * texts, introspection.
 */
export function documentShapes(): DocumentShape[] {
  return [...argumentShapes(), ...variableShapes(), ...fragmentShapes(), ...otherShapes()];
}

const typeDefs = `
  directive @tag(name: String! = "x", at: [Int]) repeatable on FIELD | QUERY | FRAGMENT_DEFINITION | INLINE_FRAGMENT
  scalar JSON
  enum Color { RED GREEN BLUE }
  input In { a: Int = 1 b: [String!] c: In d: Color = RED e: Float f: [In] g: [[Int]] h: ID i: Boolean = true }
  input Flat { a: Int b: String c: Float }
  interface Node { id: ID! name: String }
  ${count(20, (at) => `type T${at} implements Node { id: ID! name: String f${at}: Int next: Node all: [Node] t: T${at} }`)}
  union Any = ${count(20, (at) => `T${at}`, ' | ')}
  type Query {
    leaf: String number: Int color: Color colors: [Color!] grid: [[Int!]]
    ${count(100, (at) => `w${at}: String`)}
    f(x: Int, s: String, e: Color): String
    o(in: In): String
    flat(in: Flat): String
    l(ints: [Int!], words: [String], ins: [In!], colors: [Color!]): String
    j(json: JSON): String
    s(text: String!): String
    d(a: Int = 1, b: String = "two", c: Float = 3.5, e: Color = BLUE, l: [Int] = [1, 2]): String
    wide(${count(60, (at) => `a${at}: Int`)}): String
    strict(i: Int!, s: String!, b: Boolean!, id: ID!, x: Float!, e: Color!, l: [Int!]!, in: Flat!): String
    bad: String bads: [String!] fn: String later: String again: Query! many: [Query!]! t0: T0 node: Node nodes: [Node!]! any: [Any]
  }
  type Mutation { set(in: In, x: Int): String put(x: Int!): Query later(x: Int): String }
  schema { query: Query mutation: Mutation }
`;

const node = (at: number, depth: number): object => ({
  __typename: `T${at}`,
  id: `id-${at}`,
  name: 'name',
  [`f${at}`]: at,
  ...(depth > 0 && { next: node((at + 1) % 20, depth - 1), t: node(at, depth - 1), all: numbers(5).map((one) => node(one, 0)) }),
});

const rootValue: Record<string, unknown> = {
  leaf: 'leaf',
  number: 1,
  color: 'RED',
  colors: ['RED', 'BLUE'],
  grid: [[1, 2], [3]],
  ...Object.fromEntries(numbers(100).map((at) => [`w${at}`, `value ${at}`])),
  bad: () => {
    throw new Error('no');
  },
  bads: ['a', null],
  fn: () => 'fn',
  t0: node(0, 4),
  node: node(3, 4),
  nodes: numbers(20).map((at) => node(at, 1)),
  any: numbers(20).map((at) => node(at, 1)),
};
for (const name of ['f', 'o', 'flat', 'l', 'j', 's', 'd', 'wide', 'strict', 'set'])
  rootValue[name] = (given: object) => Object.keys(given).join();
rootValue['later'] = async () => 'later';
rootValue['put'] = () => rootValue;
rootValue['again'] = rootValue;
rootValue['many'] = [rootValue, rootValue, rootValue];

function shape(name: string, text: string, variables?: Readonly<Record<string, unknown>>): DocumentShape {
  return { name, typeDefs: [typeDefs], text, rootValue, variables };
}

function argumentShapes(): DocumentShape[] {
  const nestedObject = (depth: number): string => (depth === 0 ? '{ a: 1 }' : `{ a: ${depth}, b: ["x"], c: ${nestedObject(depth - 1)} }`);
  return [
    shape('100 aliases with literals', `{ ${count(100, (at) => `a${at}: f(x: ${at}, s: "text ${at}", e: RED)`)} }`),
    shape('100 aliases with one number', `{ ${count(100, (at) => `a${at}: f(x: ${at})`)} }`),
    shape('100 aliases with a text', `{ ${count(100, (at) => `a${at}: f(s: "text ${at}")`)} }`),
    shape('50 aliases with an enum value', `{ ${count(50, (at) => `a${at}: f(e: GREEN)`)} }`),
    shape('60 fields whose defaults are left out', `{ ${count(60, (at) => `a${at}: d`)} }`),
    shape('60 fields with one default overwritten', `{ ${count(60, (at) => `a${at}: d(b: "${at}")`)} }`),
    shape('60 fields without their arguments', `{ ${count(60, (at) => `a${at}: f`)} }`),
    shape('an input object 25 levels deep', `{ o(in: ${nestedObject(25)}) }`),
    shape('30 input objects', `{ ${count(30, (at) => `a${at}: o(in: { a: ${at}, b: ["x", "y"], d: GREEN, e: 1.5, g: [[1], [2, 3]] })`)} }`),
    shape('40 flat input objects', `{ ${count(40, (at) => `a${at}: flat(in: { a: ${at}, b: "x", c: 2.5 })`)} }`),
    shape('a list of 500 numbers', `{ l(ints: [${count(500, String, ', ')}]) }`),
    shape('20 lists', `{ ${count(20, (at) => `a${at}: l(ints: [1, 2, ${at}], words: ["a", null, "b"], colors: [RED, BLUE])`)} }`),
    shape('a list of 60 input objects', `{ l(ins: [${count(60, (at) => `{ a: ${at}, h: "x" }`, ', ')}]) }`),
    shape('30 literals of a scalar of its own', `{ ${count(30, (at) => `a${at}: j(json: { a: [${at}, "x"], b: { c: true } })`)} }`),
    shape('one field with 60 arguments', `{ wide(${count(60, (at) => `a${at}: ${at}`, ', ')}) }`),
    shape('arguments of every kind, 20 times', `{ ${count(20, (at) => `a${at}: ${strict(at)}`)} }`),
    shape('texts of 20,000 characters', `{ a: s(text: "${'x'.repeat(20_000)}") b: s(text: """${'word '.repeat(4_000)}""") }`),
    shape('50 texts with escapes', `{ ${count(50, (at) => `a${at}: s(text: "a\\n\\u00e9\\"${at}")`)} }`),
    shape('a mutation of 30 fields with literals', `mutation { ${count(30, (at) => `a${at}: set(x: ${at}, in: { a: 1, d: BLUE })`)} }`),
    shape('a mutation of 10 fields with objects', `mutation { ${count(10, (at) => `a${at}: put(x: ${at}) { leaf number color }`)} }`),
    shape('a mutation of 20 asynchronous fields', `mutation { ${count(20, (at) => `a${at}: later(x: ${at})`)} }`),
  ];
}

function strict(at: number): string {
  return `strict(i: ${at}, s: "x", b: true, id: 7, x: 1, e: BLUE, l: [1, 2], in: { a: 1, b: "b" })`;
}

function variableShapes(): DocumentShape[] {
  const given = (names: number, value: (at: number) => unknown): Record<string, unknown> =>
    Object.fromEntries(numbers(names).map((at) => [`v${at}`, value(at)]));
  const filter = { a: 2, b: ['x'], c: { a: 3, d: 'GREEN', f: [{ a: 1 }, { e: 2.5 }] } };
  return [
    shape(
      '40 variables with defaults',
      `query (${count(40, (at) => `$v${at}: Int = ${at}`, ', ')}) { ${count(40, (at) => `a${at}: f(x: $v${at})`)} }`,
    ),
    shape(
      '40 variables with defaults, all given',
      `query (${count(40, (at) => `$v${at}: Int = ${at}`, ', ')}) { ${count(40, (at) => `a${at}: f(x: $v${at})`)} }`,
      given(40, (at) => at),
    ),
    shape(
      '40 variables',
      `query (${count(40, (at) => `$v${at}: String!`, ', ')}) { ${count(40, (at) => `a${at}: s(text: $v${at})`)} }`,
      given(40, String),
    ),
    shape(
      '40 variables that are absent',
      `query (${count(40, (at) => `$v${at}: Int`, ', ')}) { ${count(40, (at) => `a${at}: f(x: $v${at})`)} }`,
    ),
    shape(
      '15 variables with input objects for defaults',
      `query (${count(15, (at) => `$v${at}: In = { a: ${at}, b: ["x"] }`, ', ')}) { ${count(15, (at) => `a${at}: o(in: $v${at})`)} }`,
    ),
    shape(
      '15 variables of input objects',
      `query (${count(15, (at) => `$v${at}: In!`, ', ')}) { ${count(15, (at) => `a${at}: o(in: $v${at})`)} }`,
      given(15, () => filter),
    ),
    shape('lists of 300 numbers and texts', 'query ($a: [Int!], $b: [String]) { l(ints: $a, words: $b) }', {
      a: numbers(300),
      b: numbers(300).map(String),
    }),
    shape('a variable in 60 fields', `query ($x: Int = 3, $e: Color) { ${count(60, (at) => `a${at}: f(x: $x, e: $e)`)} }`, { e: 'RED' }),
    shape(
      'variables in 30 literals',
      `query ($x: Int = 3, $s: String!) { ${count(30, (at) => `a${at}: o(in: { a: $x, b: [$s, "y"] })`)} }`,
      { s: 's' },
    ),
    shape(
      '12 conditions by variables',
      `query (${count(12, (at) => `$v${at}: Boolean = ${at % 2 === 0}`, ', ')}) { ${count(12, (at) => `w${at} @include(if: $v${at}) w${at + 20} @skip(if: $v${at})`)} }`,
    ),
  ];
}

function fragmentShapes(): DocumentShape[] {
  const chain = (depth: number): string =>
    count(depth, (at) => `fragment F${at} on Query { w${at} ...F${at + 1} }`) + ` fragment F${depth} on Query { leaf }`;
  const inline = (depth: number): string => (depth === 0 ? '{ leaf }' : `{ ... ${inline(depth - 1)} }`);
  const again = (depth: number): string => (depth === 0 ? '{ leaf }' : `{ leaf again ${again(depth - 1)} }`);
  return [
    shape('a chain of 90 fragments', `{ ...F0 } ${chain(90)}`),
    shape('90 fragments side by side', `{ ${count(90, (at) => `...F${at}`)} } ${count(90, (at) => `fragment F${at} on Query { w${at} }`)}`),
    shape(
      '20 fragments with type conditions',
      `{ nodes { id ${count(20, (at) => `...F${at}`)} } } ${count(20, (at) => `fragment F${at} on T${at} { f${at} name }`)}`,
    ),
    shape('20 inline fragments with type conditions', `{ any { __typename ${count(20, (at) => `... on T${at} { f${at} id }`)} } }`),
    shape(
      'fragments on interfaces in fragments',
      `{ nodes { ...A } node { ...A } } fragment A on Node { id ...B } fragment B on Node { name ... on Node { __typename } ${count(10, (at) => `... on T${at} { f${at} next { id } }`)} }`,
    ),
    shape('inline fragments 150 levels deep', inline(150)),
    shape('one field 200 times', `{ ${count(200, () => 'leaf')} }`),
    shape('one object 60 times', `{ ${count(60, (at) => `again { w${at} leaf }`)} }`),
    shape('one object 20 times, on many levels', `{ ${count(20, (at) => `again { again { again { w${at} } } many { w${at} } }`)} }`),
    shape('60 levels of objects', again(60)),
    shape('40 aliased objects', `{ ${count(40, (at) => `a${at}: again { leaf number }`)} }`),
    shape('40 aliased lists of objects', `{ ${count(40, (at) => `a${at}: many { leaf number }`)} }`),
    shape(
      'interfaces on four levels',
      '{ node { id ... on T3 { next { id ... on T4 { next { name __typename id } } } all { id } } } nodes { ... on T1 { all { id name } } } }',
    ),
  ];
}

function otherShapes(): DocumentShape[] {
  return [
    shape('100 leaves', `{ ${count(100, (at) => `w${at}`)} }`),
    shape('one leaf', '{ leaf }'),
    shape('60 directives', `query @tag(name: "q") { ${count(60, (at) => `w${at} @tag(name: "n${at}") @tag(at: [1, 2])`)} }`),
    shape('60 conditions', `{ ${count(60, (at) => `w${at} @include(if: ${at % 3 !== 0}) @skip(if: false)`)} }`),
    shape('60 inline fragments with conditions', `{ ${count(60, (at) => `... @include(if: true) { w${at} }`)} }`),
    shape(
      '60 operations in a document',
      count(60, (at) => `query Q${at} { leaf w${at} }`),
    ),
    shape('introspection', introspection),
    shape(
      'introspection of 20 types',
      `{ ${count(20, (at) => `a${at}: __type(name: "T${at}") { name kind fields { name type { name kind ofType { name } } } }`)} }`,
    ),
    shape('50 type names', `{ ${count(50, (at) => `a${at}: __typename`)} }`),
    shape('50 asynchronous fields', `{ ${count(50, (at) => `a${at}: later`)} }`),
    shape('50 methods', `{ ${count(50, (at) => `a${at}: fn`)} }`),
    shape('30 errors', `{ ${count(30, (at) => `a${at}: bad`)} }`),
    shape('30 nulls in lists that allow none', `{ ${count(30, (at) => `a${at}: bads`)} }`),
    shape('30 lists of enum values and numbers', `{ ${count(30, (at) => `a${at}: colors b${at}: grid c${at}: color`)} }`),
  ];
}

const introspection = `{ __schema { queryType { name } types { kind name fields(includeDeprecated: true) { name args { name type { kind name ofType { kind name } } defaultValue } type { kind name ofType { kind name ofType { kind name } } } isDeprecated } inputFields { name defaultValue } interfaces { name } enumValues { name } possibleTypes { name } } directives { name locations args { name } } } }`;

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at);
}

function count(times: number, text: (at: number) => string, separator = ' '): string {
  return numbers(times).map(text).join(separator);
}
