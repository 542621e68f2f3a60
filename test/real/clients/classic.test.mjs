// Runs the tests of clients with the statuses before GraphQL over HTTP, September 2026.
process.env.HTTP_STATUS_PROFILE = 'classic';
await import('./clients.test.mjs');
