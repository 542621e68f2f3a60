import { PrismaLibSql } from '@prisma/adapter-libsql';

import { PrismaClient } from '../generated/prisma/client.ts';

/** One client, and so one connection pool, for the process. */
export const prisma = new PrismaClient({ adapter: new PrismaLibSql({ url: process.env['DATABASE_URL'] ?? 'file:./library.db' }) });
