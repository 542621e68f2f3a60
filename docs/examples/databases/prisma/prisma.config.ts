import { defineConfig } from 'prisma/config';
export default defineConfig({
  schema: 'prisma/schema.prisma',
  // The same as in lib/prisma.ts.
  datasource: { url: process.env['DATABASE_URL'] ?? 'file:./library.db' },
});
