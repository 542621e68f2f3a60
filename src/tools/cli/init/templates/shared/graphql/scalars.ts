import { GraphQLScalarType } from 'graphql';

/** A day, such as 1815-12-23. */
export const DateScalar = new GraphQLScalarType<Date, string>({
  name: 'Date',
  serialize: (value) => (value as Date).toISOString().slice(0, 10),
  parseValue(value) {
    if (typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))) return new Date(value);
    throw new TypeError('Expected a day like 1815-12-23.');
  },
});
