import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sqliteExecutor } from '@jwt-auth/storage-sql/sqlite'
import { findDatabases } from '@jwt-auth/test-support'
import { needs } from '@jwt-auth/test-support/describe-each'
import { describeExecutor } from '@jwt-auth/test-support/executor-suite'
import { describe, expect, it } from 'vitest'

// Node has this module without a flag from version 22.13 on.
const { DatabaseSync } = Object(process.getBuiltinModule('node:sqlite'))
const [server] = await findDatabases()

if (DatabaseSync !== undefined) {
  describeExecutor({
    title: 'the executor of node:sqlite',
    server,
    open: (url) => {
      const executor = sqliteExecutor(() => new DatabaseSync(url.slice('sqlite:'.length)))
      return { executor, close: executor.close }
    },
  })
} else {
  const cwd = fileURLToPath(new URL('../../..', import.meta.url))
  const [vitest, file] = ['node_modules/vitest/vitest.mjs', 'packages/storage-sql/test/node-sqlite.test.ts']
  const missing = `Node ${process.versions.node} has no node:sqlite. Run \`npx --yes node@22 ${vitest} run ${file}\`.`
  const prerequisite = process.env['REQUIRE_DATABASES'] === '1' ? {} : { missing }

  describe('the executor of node:sqlite on SQLite', () => {
    it('passes this file in Node 22', needs({ name: 'node:sqlite', ...prerequisite }), async () => {
      const { TEST_REPORT: _, ...env } = process.env
      const args = ['--yes', 'node@22', vitest, 'run', '--reporter=json', file]
      const { stdout } = await promisify(execFile)('npx', args, { cwd, env, maxBuffer: 2 ** 26 })
      const { numPassedTests, numPendingTests } = JSON.parse(stdout.slice(stdout.indexOf('{')))
      expect(numPassedTests).toBeGreaterThan(150)
      expect(numPendingTests).toBe(0)
    })
  })
}
