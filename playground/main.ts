/**
 * The playground: GraphiQL on the endpoint that served the page. scripts/playground.ts bundles it; browsers run it.
 *
 * Nobody configures it and no request shapes it: what it needs to know it takes from the address of its own page, and
 * of that not the query string, so that a link can open the playground but fill in nothing.
 */
import { createGraphiQLFetcher, createLocalStorage } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import 'graphiql/style.css';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';

declare global {
  interface Window {
    /** The text of worker.ts, bundled. The page that carries this script sets it. */
    playgroundWorker: string;
  }
}

// A blob is the one place that a worker can come from when there is one response for everything.
const workerURL = URL.createObjectURL(new Blob([window.playgroundWorker], { type: 'text/javascript' }));
window.MonacoEnvironment = { getWorker: (_, label) => new Worker(workerURL, { name: label }) };

// Not the path alone: "//evil.example/", which reaches us as a path, would be an address of another host to fetch.
const endpoint = location.origin + location.pathname;

const playground = createElement(GraphiQL, {
  fetcher: createGraphiQLFetcher({
    url: endpoint,
    // No page of another site can send this without a preflight: it passes any setting of csrfPrevention.
    headers: { accept: 'application/graphql-response+json, application/json', 'vendor-require-preflight': 'playground' },
    enableIncrementalDelivery: false,
  }),
  // Functions of one site share an origin, and must not share their tabs.
  storage: createLocalStorage({ namespace: `playground:${location.pathname}` }),
  defaultQuery: `# Ctrl-Enter (⌘-Enter) runs the operation.
# Ctrl-Space shows what can be written.
# The book at the left is the schema.

{
  __typename
}
`,
});

const place = document.querySelector('#playground');
if (place !== null) createRoot(place).render(playground);
