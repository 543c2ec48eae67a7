import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Where `node examples/sql-clients/install-prisma.mjs` installs Prisma: in the repository, where `npm run bench` starts. */
export const prismaFolder = join(process.cwd(), 'node_modules/.cache/prisma/')

/** Whether Prisma is installed. */
export const isPrismaInstalled = (): boolean => existsSync(join(prismaFolder, 'generated/index.js'))
