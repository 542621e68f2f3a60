import handler from '../../../../functions/graphql.ts';

// Also for the paths below, such as the health check at /api/graphql/health.
export { handler as GET, handler as POST, handler as OPTIONS };
