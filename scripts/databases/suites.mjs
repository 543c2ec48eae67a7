// Runs the storage suites on one server and counts their tests.
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../processes.mjs'
import { root } from '../workspace.mjs'

const knex = 'packages/storage-knex/test'
const sql = 'packages/storage-sql/test'
const redis = 'packages/storage-redis/test'

/** The suites: test files, without `.test.ts`. */
export const suites = {
  conformance: [
    `${knex}/knex-storage`,
    `${knex}/prepared-statements`,
    `${knex}/prepared-statements.slow`,
    `${sql}/pg-executor.slow`,
    `${sql}/postgres-executor.slow`,
    `${sql}/mysql2-executor.slow`,
    `${sql}/executor-variants.slow`,
    `${redis}/redis-storage`,
  ],
  deadlines: [`${knex}/deadline`, `${knex}/knex-users-deadline`],
  migrations: [
    `${knex}/migrate`,
    `${knex}/migration-lock`,
    `${knex}/locked-tables.slow`,
    `${knex}/schema-versions`,
    `${knex}/table-options`,
    `${sql}/migration-lock`,
  ],
  limits: [`${knex}/knex-limits`, `${redis}/redis-limits`],
  explain: [`${knex}/indexes`],
  others: [
    `${knex}/account-keys.slow`,
    `${knex}/conflicts`,
    `${knex}/knex-users`,
    `${knex}/statement-counts`,
    `${knex}/storage-errors`,
    `${redis}/redis-behaviour`,
  ],
}

const redisSuites = ['conformance', 'limits', 'others']

/** The tests of each kind of database. */
const kinds = {
  postgres: {
    variable: 'TEST_POSTGRES_URL',
    folders: [knex, sql],
    titles: 'PostgreSQL',
    expected: Object.keys(suites),
  },
  mysql: { variable: 'TEST_MYSQL_URL', folders: [knex, sql], titles: 'MariaDB', expected: Object.keys(suites) },
  redis: { variable: 'TEST_REDIS_URL', folders: [redis], titles: 'one node|a cluster', expected: redisSuites },
}

/**
 * Runs the suites of a kind of database.
 *
 * @param path the folder of the server's programs, for servers that the tests start
 * @param excluded text in the titles of the tests to skip
 * @param temporary the folder for the files of the tests
 * @returns for each suite the numbers of passed, failed and skipped tests, and the output when a test failed
 */
export const runSuites = async ({ kind, url, path, excluded, temporary }) => {
  const { variable, folders, titles, expected } = kinds[kind]
  const pattern = `${excluded === undefined ? '' : `^(?!.*${excluded}).*`}(${titles})`
  const files = expected
    .flatMap((suite) => suites[suite])
    .filter((file) => folders.some((folder) => file.startsWith(folder)))
  const report = join(root, '.reports', 'databases.json')
  await mkdir(join(root, '.reports'), { recursive: true })
  await rm(report, { force: true })
  const PATH = [...(path ? [path] : []), process.env.PATH].join(':')
  const others = Object.fromEntries(Object.values(kinds).map((other) => [other.variable, 'none']))
  const env = { ...process.env, ...others, [variable]: url, PATH, TMPDIR: temporary }
  delete env.REQUIRE_DATABASES
  delete env.TEST_REPORT
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const options = ['--reporter=dot', '--reporter=json', `--outputFile=${report}`, '--testNamePattern', pattern]
  const filter = files.map((file) => `${file}.test.ts`)
  const failure = await run(process.execPath, [vitest, 'run', ...options, ...filter], { cwd: root, env }).then(
    () => undefined,
    (error) => error,
  )
  if (failure?.message === 'interrupted') throw failure
  const counts = countTests(JSON.parse(await readFile(report, 'utf8')), expected, new RegExp(pattern))
  const missing = expected.filter((suite) => counts[suite].passed === 0)
  if (failure === undefined && missing.length > 0)
    return { counts, failure: `no test ran in these suites: ${missing.join(', ')}` }
  return { counts, failure: failure?.message }
}

const countTests = ({ testResults }, expected, pattern) =>
  Object.fromEntries(
    expected.map((suite) => {
      const results = testResults.filter(({ name }) => suites[suite].some((file) => name.endsWith(`/${file}.test.ts`)))
      const tests = results.flatMap(({ assertionResults }) =>
        assertionResults.filter(({ fullName }) => pattern.test(fullName)),
      )
      const count = (...statuses) => tests.filter(({ status }) => statuses.includes(status)).length
      // A file that cannot be loaded has no tests and counts as one failure.
      const broken = results.filter(
        ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
      )
      const failed = count('failed') + broken.length
      return [suite, { passed: count('passed'), skipped: count('pending', 'skipped', 'todo'), failed }]
    }),
  )
