// Runs the storage suites on one server and counts their tests.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../processes.mjs'
import { root } from '../workspace.mjs'

const inFolder = (folder, ...names) => names.map((name) => `packages/${folder}/test/${name}.test.ts`)

// What depends on the server. The tests of drivers run on the installed databases only.
const sql = [
  ...inFolder('storage-knex', 'knex-storage', 'deadline', 'migrate.slow', 'migration-lock', 'locked-tables.slow'),
  ...inFolder('storage-knex', 'schema-versions.slow', 'knex-limits', 'indexes', 'conflicts.slow', 'knex-users'),
  ...inFolder('storage-knex', 'storage-errors'),
]

/** The tests of each kind of database. In each file, at least one test has a title that matches. */
const kinds = {
  postgres: {
    variable: 'TEST_POSTGRES_URL',
    titles: 'PostgreSQL',
    files: [...sql, ...inFolder('storage-knex', 'prepared-statements', 'prepared-statements.slow')],
  },
  mysql: {
    variable: 'TEST_MYSQL_URL',
    titles: 'MariaDB',
    files: [...sql, ...inFolder('storage-knex', 'account-keys.slow'), ...inFolder('storage-sql', 'migration-lock')],
  },
  // What a pooler that supports prepared statements changes.
  prepared: {
    variable: 'TEST_POSTGRES_URL',
    titles: 'prepared statements',
    files: [
      ...inFolder('storage-knex', 'deadline', 'prepared-statements', 'prepared-statements.slow'),
      ...inFolder('storage-sql', 'pg-executors.slow'),
    ],
  },
  redis: {
    variable: 'TEST_REDIS_URL',
    titles: 'one node|a cluster',
    files: inFolder('storage-redis', 'redis-storage', 'redis-cluster.slow', 'redis-limits', 'redis-behaviour'),
  },
}

/**
 * Runs the suites of a kind of database.
 *
 * @param path the folder of the server's programs, for servers that the tests start
 * @param excluded text in the titles of the tests to skip
 * @param temporary the folder for the files of the tests
 * @returns the number of passed tests, and the output when a test failed or a file had no test
 */
export const runSuites = async ({ kind, url, path, excluded, temporary }) => {
  const { variable, titles, files } = kinds[kind]
  const pattern = `${excluded === undefined ? '' : `^(?!.*${excluded}).*`}(${titles})`
  const report = join(root, '.reports', 'databases.json')
  const PATH = [...(path ? [path] : []), process.env.PATH].join(':')
  const others = Object.fromEntries(Object.values(kinds).map((other) => [other.variable, 'none']))
  const env = { ...process.env, ...others, [variable]: url, PATH, TMPDIR: temporary }
  delete env.REQUIRE_DATABASES
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const options = ['--reporter=dot', '--reporter=json', `--outputFile=${report}`, '--testNamePattern', pattern]
  await run(process.execPath, [vitest, 'run', ...options, ...files], { cwd: root, env })
  const { numPassedTests, testResults } = JSON.parse(await readFile(report, 'utf8'))
  const hasPassed = ({ assertionResults }) => assertionResults.some(({ status }) => status === 'passed')
  const passed = testResults.filter(hasPassed)
  const idle = files.filter((file) => !passed.some(({ name }) => name.endsWith(`/${file}`)))
  if (excluded === undefined && idle.length > 0) throw new Error(`no test ran in ${idle.join(', ')}`)
  return numPassedTests
}
