import handler from '../../../../functions/graphql.ts';

// Also for the paths below: the health check at /api/graphql/health, and routes of operations.
export { handler as GET, handler as HEAD, handler as POST, handler as PUT, handler as PATCH, handler as DELETE, handler as OPTIONS };
