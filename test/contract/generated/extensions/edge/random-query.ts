import type { Random } from '../../../../support/random.ts';

/** A selection: fields, some of which are for one type only. */
export type RandomQuery = readonly SelectedName[];

interface SelectedName {
  readonly key: string;
  readonly name: string;
  /** The type condition. Undefined: for all types. */
  readonly on?: string | undefined;
  readonly below?: RandomQuery;
}

/** Creates a query for the schemas of random-server.ts. Equal keys have equal fields, so every query is valid. */
export function randomQuery(random: Random): RandomQuery {
  const one = (): RandomQuery => random.pick([() => leaves(random), () => object(random, 'a', 'A', 2), () => object(random, 'list', 'Node', 2), () => object(random, 'list', 'Node', 1), () => object(random, 'node', 'Node', 2), () => object(random, 'any', 'Any', 2)])(); // prettier-ignore
  return random.chance(0.4) ? [...one(), ...one()] : one();
}

function leaves(random: Random): RandomQuery {
  return [random.pick([field('f0'), field('f1'), field('f1', 'x'), field('f2'), field('num')])];
}

function field(name: string, key = name): SelectedName {
  return { key, name };
}

function object(random: Random, name: string, type: string, levels: number): RandomQuery {
  return [{ key: name, name, below: fieldsOf(random, type, levels) }];
}

const kinds = ['A', 'B', 'C'];

function fieldsOf(random: Random, type: string, levels: number): RandomQuery {
  const below = (name: string, of: string): RandomQuery => (levels > 0 && random.chance(0.25) ? object(random, name, of, levels - 1) : []);
  const ofType = (on: string | undefined): RandomQuery => [
    ...(random.chance(0.6) ? [{ ...field('id'), on }] : []),
    ...leaves(random).map((one) => ({ ...one, on })),
    ...[...below('a', 'A'), ...below('node', 'Node')].map((one) => ({ ...one, on })),
  ];
  const typename = random.chance(0.6) ? [field('__typename')] : [];
  if (kinds.includes(type)) return [...typename, ...ofType(undefined)];
  const ofInterface: RandomQuery =
    type === 'Node' ? [...(random.chance(0.6) ? [field('id')] : []), field(random.pick(['f0', 'f1'])), ...below('a', 'A')] : [];
  const some = kinds.filter(() => random.chance(0.5)).flatMap((on) => ofType(on));
  const all = [...typename, ...ofInterface, ...some];
  return all.length === 0 ? [field('__typename')] : all;
}

/** The text of a query. */
export function textOf(query: RandomQuery): string {
  const parts = query.map(({ key, name, on, below }) => {
    const text = `${key === name ? '' : `${key}: `}${name}${below === undefined ? '' : ` ${textOf(below)}`}`;
    return on === undefined ? text : `... on ${on} { ${text} }`;
  });
  return `{ ${parts.join(' ')} }`;
}
