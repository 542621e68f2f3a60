// Half of the fields resolve at once, the others never: a resolver that does not settle, and an API that does not answer.
import { createHandler } from '../../src/entries/aws-lambda.ts';
import { RESTDataSource } from '../../src/entries/datasource.ts';

class Silent extends RESTDataSource {
  override baseURL = process.env['ORIGIN_URL'];
  read(): Promise<unknown> {
    return this.get('anything', { cache: 'no-store' });
  }
}

let unhandled = 0;
process.on('unhandledRejection', () => void unhandled++);

export default createHandler({
  deadline: { reserveMs: 250 },
  typeDefs: `
    type Query { now: String! soon: String! books: [Book!]! never: String silent: String openSockets: Int! unhandled: Int! }
    type Book { title: String! later: String! never: String }
  `,
  dataSources: () => ({ silent: new Silent() }),
  resolvers: {
    Query: {
      now: () => 'now',
      soon: () => new Promise((resolve) => setTimeout(() => resolve('soon'), 20)),
      books: () => Array.from({ length: 10 }, (_, index) => ({ title: `Book ${index}` })),
      never: () => new Promise<never>(() => {}),
      silent: (_, _arguments, { dataSources }) => dataSources.silent.read(),
      openSockets: () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length,
      unhandled: () => unhandled,
    },
    Book: {
      later: async () => 'later',
      never: () => new Promise<never>(() => {}),
    },
  },
});
