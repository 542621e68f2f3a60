import { fillers, list, maxBytes } from './documents.ts';
import type { Maker, Reader } from './documents.ts';
import { currencies, kinds } from './shop-server.ts';

const wrong: readonly unknown[] = [null, 'x', 7, [], {}, { nothing: 1 }, { eq: 7 }, [[['x']]]];

/** A filter as JSON with this depth and width, which sometimes contains a mistake. */
function filter(reader: Reader, { depth, width, faults }: { depth: number; width: number; faults: number }): unknown {
  let left = 60_000;
  let made = 0;
  const leaf = (): unknown => ({ [reader.pick(['eq', 'in', 'like', 'between'])]: reader.pick<unknown>(['x', ['a', 'b'], [1, 2], 3]) });
  const level = (down: number): unknown => {
    if (--left < 0) return {};
    if (faults > 0 && ++made % faults === 0) return reader.pick(wrong);
    if (down === 0) return { field0: leaf(), field1: { eq: 'y' }, ...(made % 3 === 0 && { at: '2020-01-01' }) };
    const form = reader.pick(['and', 'or', 'not', 'both']);
    if (form === 'not') return { not: level(down - 1) };
    const items = Array.from({ length: down === 1 ? width : Math.min(width, depth > 12 ? 1 : 3) }, () => level(down - 1));
    return form === 'both' ? { and: items, or: [level(0)], not: { bounds: {} } } : { [form]: items };
  };
  return level(depth);
}

/** A JSON value as the text of a literal. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(' ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{ ${Object.entries(value)
      .map(([name, inner]) => `${name}: ${literal(inner)}`)
      .join(' ')} }`;
  return JSON.stringify(value);
}

const leaves = [
  'id',
  'name',
  'price',
  'note',
  'later',
  'matrix',
  'fails',
  'refuses',
  'stock',
  'counted',
  'sold',
  'note(text: "x")',
  'note(where: { field1: { eq: "x" } })',
  'later(text: "y")',
  'price(currency: CURRENCY_9)',
  'note(list: 1)',
  'note(pick: { id: "1" })',
  'note(currencies: [CURRENCY_1 CURRENCY_2])',
];
const openings: readonly (readonly [open: string, close: string])[] = [
  ['product {', '}'],
  ['listed { ... on Product0 {', '} }'],
  ['listed { ...on Listed { siblings { ... on Product1 {', '} } } }'],
  ['search { ... on Product3 {', '} }'],
  ['page { edges { node { ... on Product2 {', '} } } }'],
  ['nodes { ... on Priced { ... on Product4 {', '} } }'],
  ['product { own0 { own1 { related(first: 100) { ... on Product5 {', '} } } } }'],
];

/** Shapes of documents for the shop. */
export const shopMakers: Readonly<Record<string, Maker>> = {
  filterLiterals: (reader) => {
    const [depth, width, faults] = [reader.size(12), 1 + reader.size(300), reader.pick([0, 0, 5, 50, 1000])];
    const text = literal(filter(reader, { depth, width, faults }));
    const uses = 1 + reader.size(1500);
    const field = reader.pick(['note(where: $)', 'search(where: $) { __typename }', 'note(pick: { where: $ })', 'count(where: [$ $])', 'product { note(where: $) }']); // prettier-ignore
    return { document: `{ ${list(Math.min(uses, maxBytes / text.length), (at) => `u${at}: ${field.replaceAll('$', () => text)}`)} }` };
  },
  filterVariables: (reader) => {
    const [depth, width, faults] = [reader.size(60), 1 + reader.size(20_000), reader.pick([0, 0, 3, 50, 1000, 20_000])];
    const value = filter(reader, { depth, width, faults });
    const [type, field] = reader.pick([
      ['Where', 'note(where: $v)'],
      ['Where', 'product { siblings(where: $v) { id } }'],
      ['[Where!]', 'count(where: $v)'],
      ['Json', 'count(json: $v)'],
      ['Pick', 'note(pick: $v)'],
      ['Where!', 'note(pick: { where: $v })'],
    ] as const);
    const given = type === 'Pick' ? reader.pick([{ where: value }, { where: value, id: 1 }, { list: [{ where: value }] }, value]) : value;
    return { document: `query ($v: ${type}) { ${list(1 + reader.size(2000), (at) => `u${at}: ${field}`)} }`, variables: { v: given } };
  },
  literalsInRows: (reader) => {
    const [depth, width, count] = [reader.size(4), 1 + reader.size(300), reader.size(7000)];
    const text = reader.pick([
      () => literal(filter(reader, { depth, width, faults: 0 })),
      () => `{ and: [${'{} '.repeat(count)}] }`,
      () => `{ or: [${'{ bounds: { upper: {} } } '.repeat(count / 3)}] }`,
      () => `{ field0: { in: [${'"x" '.repeat(count)}] } }`,
      () => '{}',
    ])();
    const field = reader.pick(['siblings(where: $) { id }', 'note(where: $)', 'later(where: $)', 'note(pick: { where: $ })', 'siblings(first: 20) { note(where: $) }', 'note']); // prettier-ignore
    const uses = Math.min(1 + reader.size(2000), 60_000 / text.length);
    return { document: `{ listed { ${list(uses, (at) => `a${at}: ${field.replace('$', () => text)}`)} id } }` };
  },
  manyFilters: (reader) => {
    const count = reader.size(52_000);
    const given = reader.pick<unknown>([{}, { bounds: {} }, { field0: {} }, { name: 'n', price: 1 }, { id: '1' }, { at: '2020-01-01' }]);
    const values = Array.from({ length: count }, () => given);
    const wrong = reader.pick<unknown>([undefined, 7, { nothing: 1 }, { field0: { in: 'x' }, at: 'x' }, null]);
    if (wrong !== undefined) values.splice(reader.pick([0, count]), 0, wrong);
    const [type, field, isInside] = reader.pick([
      ['[Where!]', 'count(where: $v)', false],
      ['Where', 'note(where: $v)', true],
      ['Where', 'listed { note(where: $v) }', true],
      ['[Pick!]', 'note(pick: { list: $v })', false],
    ] as const);
    const variables = { v: isInside ? { and: values } : values };
    return { document: `query ($v: ${type}) { ${list(1 + reader.size(300), (at) => `u${at}: ${field}`)} }`, variables };
  },
  refusals: (reader) => {
    const count = reader.size(3600);
    const open = reader.pick(['listed', 'listed { siblings(first: 9)', 'nodes { ... on Listed', 'page { edges { node', 'listed { parent']);
    const leaf = reader.pick(['refuses', 'later', 'note', 'parent { refuses }', 'parent { later }']);
    return { document: `{ ${open} { ${list(count, (at) => `a${at}: ${leaf}`)} id }${' }'.repeat(open.split('{').length - 1)} }` };
  },
  inRows: (reader) => {
    const [open, close] = reader.pick(openings);
    const [count, leaf, second] = [reader.size(3600), reader.pick(leaves), reader.pick(leaves)];
    return { document: `{ ${open} ${list(count, (at) => `a${at}: ${at % 2 === 0 ? leaf : second}`)} ${close} }` };
  },
  allKinds: (reader) => {
    const [types, width, depth] = [1 + reader.size(kinds), 1 + reader.size(60), 1 + reader.size(5)];
    const [leaf, field] = [reader.pick(leaves), reader.pick(['siblings', 'parent', 'related', 'siblings(first: 100)'])];
    const condition = (at: number): string =>
      reader.pick([`Product${at}`, 'Listed', 'Priced', 'Node'].slice(0, field === 'related' ? 1 : 4));
    const level = (down: number): string =>
      list(types, (at) => {
        const type = condition(at);
        const own = type.startsWith('Product')
          ? list(width, (one) => `k${down}x${at}x${one}: ${leaf}`)
          : list(width, (one) => `k${one}: id`);
        const inner =
          (down === 1 || (down > 0 && at === 0)) && (type.startsWith('Product') || type === 'Listed')
            ? `${field === 'related' && type === 'Listed' ? 'parent' : field} { ${level(down - 1)} id }`
            : '';
        return `... on ${type} { ${own} ${inner} }`;
      });
    return { document: `{ ${reader.pick(['listed', 'nodes', 'search'])} { ${level(depth)} } }`.slice(0, maxBytes) };
  },
  spreads: (reader) => {
    const [count, spreads, step] = [1 + reader.size(1200), reader.size(12), 1 + reader.size(9)];
    const types = reader.pick([['Listed'], ['Node', 'Listed', 'Priced'], ['Listed', 'Product1', 'Product2', 'Product3'], ['Product1']]);
    const [field, leaf] = [reader.pick(['', 'siblings', 'parent']), reader.pick(['id', '__typename', 'id @tag', '... { id }'])];
    const body = (at: number): string => {
      const next = list(spreads, (one) => `...S${at + 1 + one * step}`);
      return at + 1 + spreads * step >= count ? leaf : field === '' || !/Listed|Product/.test(types[at % types.length]!) ? `${leaf} ${next}` : `${leaf} s${reader.pick(['', at])}: ${field} { ${next} }`; // prettier-ignore
    };
    return { document: `{ listed { ...S0 } } ${list(count, (at) => `fragment S${at} on ${types[at % types.length]} { ${body(at)} }`)}` };
  },
  misspelt: (reader) => {
    const count = reader.size(4000);
    const long = 'a'.repeat(reader.size(250));
    const form = reader.pick([
      (at: number) => `m${at}: product { nme${long}${at} }`,
      (at: number) => `m${at}: note(where: { fieldd${at}${long}: 1 })`,
      (at: number) => `m${at}: note(currencies: [CURENCY_${at}${long}])`,
      (at: number) => `m${at}: note(txt${at}: 1)`,
      (at: number) => `m${at}: listed { ... on Prodct${at}${long} { id } }`,
      (at: number) => `m${at}: note @tga${at}`,
      (at: number) => `m${at}: node { id }`,
      (at: number) => `m${at}: product`,
      (at: number) => `m${at}: note { x }`,
      (at: number) => `m${at}: note(text: "a" text: "b")`,
      (at: number) => `m${at}: note(text: $unknown${at})`,
      (at: number) => `m: note(text: "${at}")`,
      (at: number) => `m${at}: note(pick: { id: 1 pick${at % 20}: {} })`,
      (at: number) => `m${at}: product { ... on Product${1 + (at % 30)} { id } }`,
      (at: number) => `m${at}: __type(name: "Product${at}") { name }`,
      (at: number) => `m${at}: note(where: { at: "no date ${long}" })`,
    ]);
    const inList = reader.pick([false, false, true]);
    return { document: inList ? `{ note(currencies: [${list(count * 3, (at) => `CURENCY_${at}`)}]) }` : `{ ${list(count, form)} }` };
  },
  enums: (reader) => {
    const count = reader.size(100_000);
    const value = reader.pick<(at: number) => unknown>([
      (at) => currencies[at % 500],
      (at) => `CURENCY_${at}`,
      (at) => (at % 1000 === 999 ? 'x' : currencies[at % 500]),
      (at) => at,
    ]);
    const given = Array.from({ length: count }, (_, at) => value(at));
    return { document: `query ($c: [Currency!]) { ${list(1 + reader.size(1000), (at) => `n${at}: note(currencies: $c)`)} }`, variables: { c: given } }; // prettier-ignore
  },
  listed: (reader) => {
    const depth = reader.size(12);
    const count = reader.size(150_000);
    const nest = (value: unknown, levels: number): unknown => (levels === 0 ? value : [nest(value, levels - 1)]);
    const given = Array.from({ length: count }, (_, at) =>
      at % 3 === 0 ? nest(at, depth % 4) : reader.pick<unknown>([1, null, [1], [[1]]]),
    );
    return {
      document: `query ($l: [[[Int!]]]) { ${list(1 + reader.size(500), (at) => `n${at}: note(list: $l)`)} }`,
      variables: { l: given },
    };
  },
  definitions: (reader) => {
    const [count, uses] = [reader.size(2500), reader.size(2500)];
    const type = reader.pick(['Where', '[Where!]', 'Pick', '[Currency!]!', 'New!', 'Json', '[[[Int!]]]', 'DateTime']);
    const value = reader.pick(['', '', ' = {}', ' = { and: [{ bounds: {} }] }', ' = []', ' = null', ' = CURRENCY_1', ' = [[[1]]]', ' = "2020-01-01"', ' = { id: "1" }']); // prettier-ignore
    const mark = reader.pick(['', '', ' @tag', ' @tag(where: { and: [] })']);
    const use = reader.pick(['note(where: $)', 'note(pick: $)', 'count(json: $)', 'note(list: $)', 'price(at: $)', 'note(currencies: $)', 'note(where: { and: [$ $] })', 'count(json: [$ { x: $ }])']); // prettier-ignore
    const definitions = list(count, (at) => `$v${at}: ${type}${value}${mark}`, ', ');
    const given = reader.pick([{}, Object.fromEntries(Array.from({ length: count }, (_, at) => [`v${at}`, reader.pick(wrong)]))]);
    return { document: `query (${definitions}) { ${list(uses, (at) => `u${at}: ${use.replaceAll('$', `$v${at % Math.max(1, count)}`)}`)} }`, variables: given }; // prettier-ignore
  },
  operations: (reader) => {
    const [count, width] = [1 + reader.size(3000), reader.size(30)];
    const head = reader.pick([
      '($w: Where = { bounds: {} })',
      '',
      '($w: Where, $c: [Currency!] = [CURRENCY_1])',
      '@tag(where: { and: [{}] })',
    ]);
    const body = reader.pick(['note(where: $w)', '...All', 'product { ...Part }', 'listed { id ...Of }', 'note']);
    const fragments = 'fragment All on Query { note product { ...Part } } fragment Part on Product0 { id own0 { ...Next } } fragment Next on Product1 { id name } fragment Of on Listed { parent { id } }'; // prettier-ignore
    const operations = list(count, (at) => `${reader.pick(['query', 'query', 'mutation', 'subscription'])} O${at}${head} { ${list(width, (one) => `x${one}: ${body}`.replace(/x\d+: \.\.\./, '...'))} }`); // prettier-ignore
    return { document: `${operations} ${fragments}`, operationName: reader.pick(['O0', `O${count - 1}`, 'none', undefined]) };
  },
  numbers: (reader) => {
    const digits = reader.pick(['9', '1', '0.', '-9', '1e']) + reader.pick(['9', '0', '1']).repeat(reader.size(200_000));
    const count = 1 + reader.size(Math.min(3000, maxBytes / digits.length));
    const field = reader.pick(['page(first: $) { total }', 'note(list: [[[$]]])', 'note(text: $)', 'count(ids: [$])', 'count(json: $)', 'note(where: { at: $ })']); // prettier-ignore
    return { document: `{ ${list(count, (at) => `n${at}: ${field.replace('$', digits)}`)} }` };
  },
  strings: (reader) => {
    const part = reader.pick([...fillers, '\\u0041', '\\u{1F600}', '\\\\', '\\"', '\\uD83D\\uDE00', '"', '\\n  ']);
    const text = part.repeat(Math.max(1, reader.size(maxBytes / 2) / part.length));
    const quote = reader.pick(['"', '"""']);
    const count = 1 + reader.size(Math.min(2000, maxBytes / text.length));
    const field = reader.pick(['note(text: $)', 'product { note(text: $) }', 'listed { ... on Product0 { note(text: $) } }', 'note(where: { field0: { in: [$ $] } })', 'note(where: { at: $ })', 'node(id: $) { id }', 'note @tag(name: $)']); // prettier-ignore
    return {
      document: `{ ${list(count, (at) => `n${at}: ${field.replaceAll('$', () => `${quote}${text}${quote}`)}`)} }`.slice(0, maxBytes),
    };
  },
  partsOfShop: (reader) => {
    const [open, close] = reader.pick(openings);
    const [count, leaf] = [reader.size(300), reader.pick(leaves)];
    const form = reader.pick([
      (at: number) => `... @defer(label: "l${at}") { a${at}: ${leaf} }`,
      (at: number) => `... on Listed @defer { s${at}: siblings { id ... @defer { price } } }`,
      (at: number) => `r${at}: related @stream(initialCount: 1) { ... on Node { id ... @defer { id } } }`,
      (at: number) => `m${at}: matrix @stream`,
      (at: number) => `... @defer(if: $on) { parent { ... @defer { siblings { id } } } a${at}: ${leaf} }`,
    ]);
    return { document: `query ($on: Boolean = true) { ${open} ${list(count, form)} id ${close} }` };
  },
  writes: (reader) => {
    const [count, depth] = [reader.size(2500), reader.size(100)];
    const input = `${'{ name: "n" price: 1 parent: '.repeat(Math.min(depth, 60))}{ name: "n" price: ${reader.pick(['1', '"x"', '1.5e300', '-0'])} }${' }'.repeat(Math.min(depth, 60))}`; // prettier-ignore
    const form = reader.pick(['create(input: $) { id }', 'bulk(inputs: [$ $]) { id price }', 'fail { id }', 'create(input: $i) { note }', 'bulk(inputs: $l) { fails }']); // prettier-ignore
    const given = {
      name: 'n',
      price: reader.pick<unknown>([1, 'x']),
      many: Array.from({ length: reader.size(10_000) }, () => ({ name: 'm', price: 2 })),
    };
    const uses = Math.min(count, maxBytes / 2 / input.length);
    return {
      document: `mutation ($i: New! = { name: "d" price: 1 }, $l: [New!]! = []) { ${list(uses, (at) => `w${at}: ${form.replaceAll('$ ', `${input} `).replaceAll('$)', `${input})`).replaceAll('$]', `${input}]`)}`)} x: create(input: $i) { id } y: bulk(inputs: $l) { id } }`,
      variables: { i: given, l: [given] },
    };
  },
};
