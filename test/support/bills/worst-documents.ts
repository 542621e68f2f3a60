import { fillers, list, maxBytes } from './documents.ts';
import type { Maker, Reader } from './documents.ts';

/** An object of the schema that holds what is put inside it. */
const around = (reader: Reader): ((inner: string) => string) => {
  const open = reader.pick(['row', 'rows', 'later', 'named', 'one', 'row rows', 'row later']).split(' ');
  return (inner) =>
    open.reduceRight(
      (text, field) => (field === 'one' || field === 'named' ? `${field} { ... on Row { ${text} } }` : `${field} { ${text} }`),
      inner,
    );
};

/** Shapes that each attack one part of the server: merging of fields, detection of cycles, introspection, or selection of the operation. */
export const worstMakers: Readonly<Record<string, Maker>> = {
  overlaps: (reader, { rowLeaves }) => {
    const [count, width, names] = [reader.size(2000), reader.size(60), 1 + reader.size(40)];
    const leaf = reader.pick(rowLeaves);
    const field = reader.pick(['row', 'rows', 'later', 'rows(first: 1)']);
    const wrap = around(reader);
    const inner = (at: number): string => list(width, (one) => `x${(at * width + one) % names}: ${leaf}`);
    const form = reader.pick([
      (at: number) => `y: ${field} { ${inner(at)} }`,
      (at: number) => `... on Row { y${at % names}: ${field} { ${inner(at)} } }`,
      (at: number) => `... { y: ${field} { z: ${field} { ${inner(at)} } } }`,
      (at: number) => `y: ${at % 2 === 0 ? field : 'row'} { ${inner(at)} }`,
    ]);
    return { document: `{ ${wrap(list(count, form))} }` };
  },
  pairs: (reader, { rowLeaves }) => {
    const [count, width] = [reader.size(1500), reader.size(60)];
    const leaf = reader.pick(rowLeaves);
    const type = reader.pick(['Row', 'Named', 'Other']);
    const wrap = around(reader);
    const body = reader.pick([
      (at: number) => list(width, (one) => `f${one}: ${leaf} `) + (at % 7 === 0 ? 'row { id }' : ''),
      (at: number) => `row { ${list(width, (one) => `g${at}x${one}: ${leaf}`)} }`,
      (at: number) => list(width, (one) => `...P${(at * 3 + one) % count}`),
    ]);
    const fragments = list(count, (at) => `fragment P${at} on ${type} { id ${body(at)} }`);
    return { document: `{ ${wrap(list(count, (at) => `...P${at}`))} } ${fragments}` };
  },
  circles: (reader) => {
    const [count, spreads] = [1 + reader.size(2500), reader.size(40)];
    const step = reader.size(50);
    const field = reader.pick(['', 'row', 'rows', 'later']);
    const next = (at: number): string => list(spreads, (one) => `...C${(at + 1 + one * step) % count}`);
    const body = (at: number): string => (field === '' ? next(at) : `id ${field} { ${next(at)} }`);
    return { document: `{ row { ...C0 } } ${list(count, (at) => `fragment C${at} on Row { ${body(at)} }`)}` };
  },
  introspection: (reader) => {
    const [count, depth] = [reader.size(3000), reader.size(60)];
    const deep = `${'ofType { '.repeat(depth)}name${' }'.repeat(depth)}`;
    const form = reader.pick([
      () => `__schema { types { name fields(includeDeprecated: true) { name args { name } type { ${deep} } } } }`,
      (at: number) => `t${at}: __type(name: "Row") { fields { name type { ${deep} } } }`,
      (at: number) => `s${at}: __schema { types { name kind enumValues { name } inputFields { name } } }`,
      (at: number) => `n${at}: __type(name: "${'x'.repeat(100)}") { name }`,
      (at: number) => `p${at}: __schema { types { possibleTypes { name } interfaces { name } } }`,
      () => `__schema { types { fields { type { fields { type { fields { name } } } } } } }`,
    ]);
    return { document: `{ ${list(count, form)} }` };
  },
  operationsNamed: (reader) => {
    const [count, width] = [reader.size(7000), reader.size(20)];
    const name = reader.pick([(at: number) => `A${at}`, () => 'A', () => '']);
    const body = reader.pick(['name', '...G', 'row { id ...F }', 'fail']);
    const fragments = 'fragment F on Row { id } fragment G on Query { name }';
    const head = reader.pick(['query', 'mutation', 'subscription', 'query ']);
    return {
      document: `${list(count, (at) => `${head} ${name(at)} { ${list(width, () => body)} }`)} ${fragments}`,
      operationName: reader.pick(['A0', `A${count - 1}`, 'x'.repeat(reader.size(maxBytes / 2))]),
    };
  },
  variablesUsed: (reader) => {
    const [count, uses] = [reader.size(3500), reader.size(4000)];
    const type = reader.pick(['Int', 'Int!', 'String', 'In', '[In!]', 'Nothing', 'Date', '[[[Int!]]!]']);
    const definitions = list(count, (at) => `$v${at}: ${type}${reader.pick(['', '', ' = 1', ' = null'])}`, ', ');
    const argument = reader.pick(['rows(first: $) { id }', 'name(text: $)', 'sum(n: [$, $])', 'row(in: { a: $, b: "b" }) { id }']);
    const nested = reader.pick([false, true]);
    const use = (at: number): string => `u${at}: ${argument.replaceAll('$', `$v${at % (count + 3)}`)}`;
    const fields = nested
      ? `${list(Math.min(uses, 500), (at) => `...V${at}`)} } ${list(Math.min(uses, 500), (at) => `fragment V${at} on Query { ${use(at)} ...V${at + 1} }`)} fragment V${Math.min(uses, 500)} on Query { name`
      : list(uses, use);
    return { document: `query (${definitions}) { ${fields} }`, variables: {} };
  },
  scalars: (reader) => {
    const count = reader.size(60_000);
    const bad = reader.pick(['no date', 'not for you', '2020-01-01', 'd'.repeat(reader.size(200_000))]);
    const depth = reader.size(200);
    const form = reader.pick(['variable', 'literal', 'list', 'grid', 'json', 'deep']);
    const grid = (levels: number, value: unknown): unknown => (levels === 0 ? value : [grid(levels - 1, value)]);
    if (form === 'variable')
      return {
        document: 'query ($d: [Date!]) { dated(list: $d) }',
        variables: { d: Array.from({ length: Math.min(count, maxBytes / bad.length) }, () => bad) },
      };
    if (form === 'grid')
      return {
        document: 'query ($g: [[[Int!]]!]) { grid(in: $g) }',
        variables: { g: Array.from({ length: count }, (_, at) => [[at % 1000 === 0 ? 'x' : at]]) },
      };
    if (form === 'json') return { document: 'query ($j: JSON) { json(value: $j) }', variables: { j: grid(Math.min(depth * 20, 4000), 1) } };
    if (form === 'deep') return { document: 'query ($g: [[[Int!]]!]) { grid(in: $g) }', variables: { g: grid(depth, 1) } };
    const literals = list(Math.min(count, 6000), (at) => `d${at}: dated(at: ${JSON.stringify(bad.slice(0, 100))})`);
    if (form === 'list') return { document: `{ dated(list: [${'"no date" '.repeat(Math.min(count, 7000))}]) }` };
    return { document: `{ ${literals} }` };
  },
  quotes: (reader) => {
    // Texts that an error message quotes and that contain the patterns the server looks for in messages.
    const text = reader.pick([
      ' Did you mean ',
      ', but encountered error "',
      ', found ',
      'Expected type "a". ',
      ' got invalid value ',
      '?. "',
    ]);
    const value = text.repeat(Math.min(reader.size(maxBytes), maxBytes - 1000) / text.length);
    const form = reader.pick(['enum', 'number', 'date', 'input', 'name']);
    if (form === 'enum') return { document: 'query ($v: E) { sum(e: $v) }', variables: { v: value } };
    if (form === 'number') return { document: 'query ($v: [Int!]) { sum(n: $v) }', variables: { v: [value] } };
    if (form === 'date') return { document: `{ dated(at: ${JSON.stringify(value)}) }` };
    if (form === 'input') return { document: 'query ($v: In) { row(in: $v) { id } }', variables: { v: { b: 'b', [value]: 1 } } };
    return { document: 'query ($v: Int) { name(text: $v) }', variables: { v: value }, operationName: value.slice(0, 1000) };
  },
  variablesInLiterals: (reader) => {
    const [count, uses] = [reader.size(100_000), reader.size(4000)];
    const value = reader.pick<(at: number) => unknown>([() => [], () => ({}), (at) => at, () => 'x'.repeat(10), (at) => ({ a: [at] })]);
    const literal = reader.pick(['$j', '[$j]', '{ a: $j }', '{ a: $j, b: [$j, $j] }']);
    return {
      document: `query ($j: JSON) { ${list(uses, (at) => `j${at}: json(value: ${literal})`)} }`,
      variables: { j: Array.from({ length: count }, (_, at) => value(at)) },
    };
  },
  lineBreaks: (reader) => {
    const [lines, fields] = [reader.size(1_000_000), reader.size(5000)];
    const lineBreak = reader.pick(['\n', '\r\n', '\r', '#\n']);
    const leaf = reader.pick(['fail', 'refuse', 'dated(at: 1)', 'row { missing }', 'nothing']);
    const wrap = reader.pick([(inner: string) => inner, (inner: string) => `rows(first: 3) { ${inner.replaceAll(leaf, 'fail')} }`]);
    return { document: `{ ${lineBreak.repeat(lines)} ${wrap(list(fields, (at) => `l${at}: ${leaf}`))} }` };
  },
  aliasesOfTypes: (reader) => {
    // Each row type gets a separate plan, and the length of the document limits the size of the plans that are cached.
    const [count, padding] = [reader.size(8000), reader.size(maxBytes / 2)];
    const leaf = reader.pick(['row { id }', 'id', '__typename', 'row { id name }', 'row { row { id } }', '... { row { id } }']);
    const filler = reader.pick(['', ' ', '#\n', ',']);
    return {
      document: `{ nodes { ${list(count, (at) => (leaf.startsWith('.') ? leaf : `a${at}: ${leaf}`))} } } ${filler.repeat(padding)}`,
    };
  },
  inputsInRows: (reader) => {
    const [count, uses] = [reader.size(7000), 1 + reader.size(1000)];
    const item = reader.pick([
      '{}',
      '{ d0: 1 }',
      '{ n: 2 more: [{}] }',
      '{ n: $n }',
      '{ more: $f }',
      '{ d3: [$n $n] }',
      '{ more: [{ more: [{}] }] }',
    ]);
    const field = reader.pick([
      'filled(in: [$])',
      'filled(in: $)',
      'filled(at: "2020-01-01")',
      'filled',
      'filled(in: [$], at: "2020-01-01")',
    ]);
    const leaf = field.replace('$', () => `${item} `.repeat(field.includes('[') ? count : 1));
    const wrap = around(reader);
    const number = reader.pick<unknown>([1, null, 'x', undefined]);
    const fields = list(Math.min(uses, 40_000 / leaf.length), (at) => `f${at}: ${leaf}`);
    return { document: `query ($n: Int = 3, $f: [Filled!] = [{}]) { ${wrap(fields)} }`, variables: { n: number } };
  },
  manyInputs: (reader, { inputFields }) => {
    const count = reader.size(52_000);
    const [type, field] = reader.pick([
      ['[Filled!]', 'sum(filled: $v)'],
      ['[Filled!]', 'rows { filled(in: $v) }'],
      ['[In!]', 'sum(in: $v)'],
      ['[In]', 'row { id }'],
    ] as const);
    const given = reader.pick<(at: number) => unknown>([
      () => ({}),
      () => ({ b: 'b' }),
      () => ({ more: [] }),
      () => ({ n: 1 }),
      (at) => ({ [inputFields[at % inputFields.length]!]: at }),
    ]);
    const values = Array.from({ length: count }, (_, at) => given(at));
    const wrong = reader.pick<unknown>([undefined, 7, { nothing: 1 }, { d0: 'x' }, { n: null }]);
    const place = reader.pick([0, Math.floor(count / 2), count]);
    if (wrong !== undefined) values.splice(place, 0, wrong);
    return { document: `query ($v: ${type}) { ${list(1 + reader.size(300), (at) => `u${at}: ${field}`)} }`, variables: { v: values } };
  },
  refusals: (reader) => {
    const leaf = reader.pick(['refused', 'refused', 'later { refused }', 'later { missing }', 'row { refused }']);
    const wrap = around(reader);
    return { document: `{ ${wrap(list(reader.size(3600), (at) => `a${at}: ${leaf}`))} }` };
  },
  comments: (reader) => {
    const filler = reader.pick([...fillers, '#', '"""']);
    const size = reader.size(maxBytes - 200);
    const text = filler.repeat(size / filler.length);
    const form = reader.pick([
      () => `# ${text.replaceAll('\n', ' ')}\n{ name }`,
      () => `{ name(text: """${text.replaceAll('"""', '\\"""')}""") }`,
      () => `"""${text.replaceAll('"', "'")}""" query A { name }`,
      () => `{ ${`#${filler.replaceAll('\n', '')}\n`.repeat(size / 4)} name }`,
      () => `{ name(text: "${'\\u0041'.repeat(size / 6)}") }`,
      () => `{ name(text: """${`\n${' '.repeat(reader.size(100))}${filler.replaceAll('"', '')}`.repeat(size / 60)}""") }`,
    ]);
    return { document: form() };
  },
  marks: (reader) => {
    const [count, uses] = [reader.size(4500), reader.size(1000)];
    const one = reader.pick([
      '@mark',
      '@mark(text: "x")',
      '@mark(text: 1)',
      '@mark(nothing: 1)',
      '@include(if: true) @skip(if: false)',
      '@defer(if: false)',
      '@stream',
    ]);
    const place = reader.pick([
      (marks: string) => `query ${marks} { name }`,
      (marks: string) => `{ row { ... ${marks} { id } } }`,
      (marks: string) => `{ row { ...F ${marks} } } fragment F on Row { id }`,
      (marks: string) => `{ row { ...F } } fragment F on Row ${marks} { id }`,
      (marks: string) => `query ($v: Int ${marks}) { rows(first: $v) { id } }`,
      (marks: string) => `{ ${list(uses, (at) => `m${at}: name ${one}`)} last: name ${marks} }`,
    ]);
    return { document: place(`${one} `.repeat(count)) };
  },
};
