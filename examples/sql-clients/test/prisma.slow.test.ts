import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findDatabases } from '@jwt-auth/test-support'
import { needs } from '@jwt-auth/test-support/describe-each'
import { describeExecutor } from '@jwt-auth/test-support/executor-suite'
import { describe, it } from 'vitest'
import { prismaExecutor } from '../src/prisma-executor.js'

const folder = new URL('../../../node_modules/.cache/prisma/', import.meta.url)
const isInstalled = (): boolean => existsSync(new URL('generated/index.js', folder))
const script = fileURLToPath(new URL('../install-prisma.mjs', import.meta.url))

// Where no test may be skipped, the test installs what it needs.
if (process.env['REQUIRE_DATABASES'] === '1' && !isInstalled()) await promisify(execFile)(process.execPath, [script])

const load = createRequire(folder)

if (isInstalled()) {
  describeExecutor({
    title: 'the executor of Prisma',
    server: (await findDatabases())[1],
    isCancelling: false,
    open: (connectionString) => {
      const { PrismaClient } = load('./generated/index.js')
      const { PrismaPg } = load('@prisma/adapter-pg')
      const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString, max: 10 }) })
      return { executor: prismaExecutor(prisma, 10), close: () => prisma.$disconnect() }
    },
  })
} else {
  const missing = 'Prisma is not installed. Run `node examples/sql-clients/install-prisma.mjs`.'
  describe('the executor of Prisma on PostgreSQL', () => {
    it('passes the conformance suite', needs({ name: 'Prisma', missing }), () => {})
  })
}
