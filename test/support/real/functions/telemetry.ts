// A server that reports its operations by fetch, as on platforms without OpenTelemetry's Node SDK: spans, and a line for each operation.
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { RESTDataSource } from 'graphql-functions';
import { costLine } from 'graphql-functions/cost-line';
import { openTelemetry } from 'graphql-functions/opentelemetry';

class Books extends RESTDataSource {
  read(url: string): Promise<unknown> {
    return this.get(url);
  }
}

const sent: Promise<unknown>[] = [];
let collector = '';
const send = async (path: string, body: unknown): Promise<void> => {
  await fetch(`${collector}/${path}`, { method: 'POST', body: JSON.stringify(body) });
};
const exporter = {
  export(spans: readonly ReadableSpan[], done: (result: { code: number }) => void): void {
    const told = spans.map((span) => ({
      name: span.name,
      spanId: span.spanContext().spanId,
      parent: span.parentSpanContext?.spanId,
      operation: span.attributes['graphql.operation.name'],
    }));
    sent.push(send('spans', told));
    done({ code: 0 });
  },
  shutdown: async (): Promise<void> => {},
};
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });

/** Options of a server that reports its operations to the address given by the operation. */
export const told = {
  csrfPrevention: true,
  typeDefs: 'type Query { book(from: String!): String }',
  dataSources: () => ({ books: new Books() }),
  resolvers: {
    Query: {
      book: async (_: unknown, { from }: { from: string }, { dataSources }: { dataSources: { books: Books } }) => {
        collector = from;
        await dataSources.books.read(`${from}/book`);
        return 'Emma';
      },
    },
  },
  plugins: [
    openTelemetry({ tracerProvider, flush: async () => Promise.all(sent.splice(0)) }),
    costLine({ write: (line) => void sent.push(send('lines', JSON.parse(line))) }),
  ],
};
