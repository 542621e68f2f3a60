import type { BilledServer } from './servers.ts';

/** Numbers from 0 to 1 that describe a request: similar numbers create similar requests, as the search requires. */
export type Genes = readonly number[];

export const geneCount = 16;

export const maxBytes: number = 1024 * 1024;

/** Reads genes one after another. */
export class Reader {
  readonly #genes: Genes;
  #at = 0;

  constructor(genes: Genes) {
    this.#genes = genes;
  }

  next(): number {
    return this.#genes[this.#at++ % this.#genes.length]!;
  }

  /** A whole number below the limit; every order of magnitude is equally likely. */
  size(limit: number): number {
    return Math.floor(limit ** this.next());
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.min(values.length - 1, Math.floor(this.next() * values.length))]!;
  }
}

export const list = (count: number, one: (at: number) => string, between = ' '): string =>
  Array.from({ length: count }, (_, at) => one(at)).join(between);
export const fillers = ['x', '"', '\\', '\u0007', 'ä', '漢', '😀', '\n', ' ', ',', '#\n', '0'];

/** Genes → the text of a document, and its variables. */
export type Maker = (reader: Reader, server: BilledServer) => MadeDocument;

/** The document and variables that a maker returns. */
export interface MadeDocument {
  readonly document: string;
  readonly variables?: unknown;
  readonly operationName?: string | undefined;
}

/** Shapes of documents. Each shape reads its numbers from the genes. worst-documents.ts has more. */
export const makers: Readonly<Record<string, Maker>> = {
  aliases: (reader, { leaves, rowLeaves }) => {
    const around = reader.pick(['', 'rows', 'later', 'row', 'one', 'rows rows', 'rows row', 'later later', 'row rows rows', 'one row']);
    const names = around === '' ? leaves : rowLeaves;
    const [leaf, length, count] = [reader.pick(names), reader.size(400), reader.size(15_000)];
    const inner = list(count, (at) => `${'a'.repeat(Math.min(length, maxBytes / count))}${at}: ${leaf}`);
    const open = around.split(' ').filter(Boolean);
    const wrap = (field: string, text: string): string => (field === 'one' ? `one { ... on Row { ${text} } }` : `${field} { ${text} }`);
    return { document: `{ ${open.reduceRight((text, field) => wrap(field, text), inner)} }` };
  },
  nested: (reader, { rowLeaves }) => {
    const field = reader.pick(['row', 'rows', 'later', 'rows(first: 2)']);
    const depth = reader.size(220);
    const width = reader.size(40);
    const inner = list(width, (at) => `b${at}: ${reader.pick(rowLeaves)}`);
    return { document: `{ row { ${`${field} { `.repeat(depth)}${inner}${' }'.repeat(depth)} } }` };
  },
  repeated: (reader, { rowLeaves }) => {
    const [field, count] = [reader.pick(['row', 'rows', 'later']), reader.size(15_000)];
    const leaf = reader.pick(rowLeaves);
    const form = reader.pick([`${field} { ${leaf} }`, `... { ${field} { ${leaf} } }`, `${field} { row { ${leaf} } }`, leaf]);
    return { document: `{ row { ${`${form} `.repeat(count)} } }` };
  },
  fragments: (reader, { rowLeaves }) => {
    const count = 1 + reader.size(2000);
    const spreads = reader.size(6);
    const leaf = reader.pick(rowLeaves);
    const field = reader.pick(['', 'row', 'rows']);
    const next = (at: number): string =>
      at + 1 < count ? list(spreads, (alias) => (field === '' ? `...F${at + 1}` : `f${alias}: ${field} { ...F${at + 1} }`)) : '';
    return { document: `{ rows { ...F0 } } ${list(count, (at) => `fragment F${at} on Row { ${leaf} ${next(at)} }`)}` };
  },
  operations: (reader) => {
    const [name, count] = [reader.size(600_000), reader.size(300)];
    const variables = list(count, (at) => `$v${at}: ${reader.pick(['Int', 'In', '[Int!]!', 'Nothing', 'E!'])}`, ', ');
    return { document: `query ${'Q'.repeat(name)}${variables && `(${variables})`} { name }`, variables: {} };
  },
  literals: (reader, { inputFields }) => {
    const filler = reader.pick(fillers);
    const text = filler.repeat(reader.size(maxBytes / 2));
    const form = reader.pick(['string', 'block', 'number', 'list', 'object', 'enum']);
    const count = reader.size(7000);
    const value = {
      string: JSON.stringify(text),
      block: `"""${text.replaceAll('"', '')}"""`,
      number: `${'9'.repeat(reader.size(100_000))}${reader.pick(['', '.5', 'e9', 'e-99999'])}`,
      list: `[${'1 '.repeat(count)}]`,
      object: `{ ${list(count, (at) => `${reader.pick(['k', ...inputFields])}${at}: 1`)} }`,
      enum: 'E'.repeat(reader.size(100_000)),
    }[form]!;
    const argument = {
      string: 'name(text: $)',
      block: 'name(text: $)',
      number: 'rows(first: $) { id }',
      list: 'sum(n: $)',
      object: 'row(in: $) { id }',
      enum: 'sum(e: $)',
    }[form]!;
    const uses = reader.size(value.length < 300 ? 3000 : Math.max(2, maxBytes / value.length / 2));
    return { document: `{ ${list(uses, (at) => `u${at}: ${argument.replace('$', () => value)}`)} }` };
  },
  variables: (reader, { inputFields }) => {
    const [count, uses] = [reader.size(100_000), reader.size(3000)];
    const [type, argument] = reader.pick([
      ['String', 'name(text: $v)'],
      ['In', 'row(in: $v) { id name }'],
      ['[In!]', 'sum(in: $v)'],
      ['[Int!]', 'sum(n: $v)'],
      ['E', 'sum(e: $v)'],
      ['Int', 'rows(first: $v) { id }'],
    ] as const);
    const text = reader.pick(fillers).repeat(reader.size(maxBytes / 2));
    const key = (at: number): string => reader.pick([`k${at}`, reader.pick(inputFields), 'in']);
    const values: Readonly<Record<string, () => unknown>> = {
      text: () => text,
      keys: () => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1])),
      known: () => ({ ...Object.fromEntries(inputFields.map((name) => [name, text])), in: { b: text } }),
      numbers: () => Array.from({ length: count }, () => 1),
      wrong: () => Array.from({ length: count }, () => 'x'),
      objects: () => Array.from({ length: count / 4 }, (_, at) => ({ [key(at)]: at, b: 'b' })),
      deep: () => Array.from({ length: Math.min(count, 250) }).reduce((inner) => ({ in: inner, b: 'b' }), {} as unknown),
      long: () => ({ [text]: 1 }),
    };
    const value = reader.pick(Object.values(values))();
    return { document: `query ($v: ${type}) { ${list(uses, (at) => `u${at}: ${argument}`)} }`, variables: { v: value } };
  },
  directives: (reader) => {
    const one = reader.pick(['@skip(if: false)', '@include(if: $b)', '@nothing', '@defer', '@skip', '@skip(if: "x")']);
    const count = reader.size(5000);
    return {
      document: `query ($b: Boolean = true) { ${list(reader.size(2000), (at) => `d${at}: name ${at === 0 ? `${one} `.repeat(count) : one}`)} }`,
    };
  },
  parts: (reader, { rowLeaves }) => {
    const label = 'l'.repeat(reader.size(2000));
    const around = reader.pick([
      'rows',
      'later',
      'row',
      'rows { rows',
      'row { later',
      'named { ... on Row',
      'rows { later { rows',
      'one { ... on Row { rows',
    ]);
    const [count, aliases, leaf] = [reader.size(1500), 1 + reader.size(60), reader.pick(rowLeaves)];
    const form = reader.pick([
      (at: number) => `... @defer(label: "${label}${at}") { p${at}: ${leaf} }`,
      (at: number) => `... @defer { p${at}: row { ... @defer { ${leaf} } } }`,
      (at: number) => `... on Named @defer(if: $on) { p${at}: id q${at % 7}: ${leaf} }`,
      (at: number) => `p${at}: rows @stream(initialCount: ${at % 3}) { ${leaf} }`,
      (at: number) => `p${at}: later { ...Late }`,
      () => `...Late @defer rows { ...Late }`,
      (at: number) => `p${at}: ${leaf}`,
    ]);
    const close = ' }'.repeat(around.split('{').length);
    const one = (at: number): string => `a${at}: ${around} { id ${list(count, form)}${close}`;
    const deep = reader.pick(['', '... @defer { d: row { ... @defer { e: rows { ... @defer { id } } } } }', '...Late']);
    const late = reader.pick(['... @defer { late: id } row { ... @defer { later: name } }', 'id rows @stream { id }', 'id']);
    const outer = list(reader.size(200), (at) => `... @defer { o${at}: name }`);
    return {
      document: `query ($on: Boolean = true) { name ${outer} ${list(aliases, one)} s: rows @stream(initialCount: 1) { id ${deep} } } fragment Late on Row { ${late} }`,
      variables: { on: reader.pick([true, false, null, undefined]) },
    };
  },
  ignored: (reader) => {
    const filler = reader.pick([' ', ',', '\n', '\r\n', '#', '#\n', '\uFEFF', '\t']);
    const text = filler.repeat(reader.size(maxBytes) / filler.length);
    const wrong = list(reader.size(200), (at) => reader.pick([`nothing${at}`, `a: name a: text`, `f${at}: fail`, `rows`]));
    return { document: `${reader.pick([text, ''])}\n{ name ${wrong} ${text} }` };
  },
  tokens: (reader) => {
    const token = reader.pick([
      '{',
      '}',
      '(',
      '[',
      '"',
      '"""',
      '$',
      '!',
      '...',
      '@',
      'a',
      '1',
      '-',
      '\\',
      '\u0000',
      '😀',
      'query ',
      'fragment ',
    ]);
    return { document: `{ name ${token.repeat(reader.size(maxBytes / 4))}` };
  },
};
