import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { SkipSummary, TitleCheck } from './internal/test-support/src/reporters.js'

// Tests run the TypeScript sources, never a build: every package exports its source under this
// condition.
const conditions = ['@jwt-auth/source']

// These files start first, so that no process still runs one of them when the others have finished.
// `npm test` and `npm run check` exclude those that end in `.slow.test.ts`; `npm run check --
// --all` and `npx vitest run` run all.
const slowest = [
  'failover/failover',
  'storage-sql/test/pg-executors',
  'browser/eight-tabs',
  'browser/cookies',
  'host-app/test/page',
  'faults/outages',
  'cluster/instances-over-one-store',
  'storage-knex/test/isolation-levels',
  'cluster/storage-processes',
  'attacks/floods',
  'storage-sql/test/mysql2-executors',
  'storage-redis/test/redis-cluster',
  'storage-knex/test/knex-storage',
  'storage-redis/test/redis-storage',
  'storage-sql/test/client-settings',
  'host-app/test/site',
  'custom-storage/test/lmdb-storage',
  'keys/generated-keys',
  'storage-knex/test/migrate',
  'storage-redis/test/redis-behaviour',
]

// `npm run check` names a file for the results as JSON.
const reportFile = process.env['TEST_REPORT']
const extraReporters: (['json', { outputFile: string }] | ['github-actions', object])[] = []
if (reportFile !== undefined) extraReporters.push(['json', { outputFile: reportFile }])
if (process.env['GITHUB_ACTIONS'] === 'true') extraReporters.push(['github-actions', {}])

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isSlow = ({ moduleId }: TestSpecification, name: string): boolean =>
      moduleId.endsWith(`${name}.test.ts`) || moduleId.endsWith(`${name}.slow.test.ts`)
    const first = slowest.flatMap((name) => sorted.filter((file) => isSlow(file, name)))
    return [...first, ...sorted.filter((file) => !first.includes(file))]
  }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    setupFiles: ['internal/test-support/src/watch-output.ts'],
    // Twice as many as two processor cores, since many tests wait for databases and other
    // processes.
    maxWorkers: 4,
    sequence: { sequencer: SlowestFirst },
    // Generous, since a busy machine may take many times longer: a limit only ends a test that
    // hangs.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000, interval: 10 } },
    slowTestThreshold: 10_000,
    reporters: ['default', ...extraReporters, new SkipSummary(), new TitleCheck()],
    // Many tests keep sessions or counts in memory, and some send headers of proxies, on purpose.
    // The warnings are for production.
    execArgv: [
      '--disable-warning=JWT_AUTH_MEMORY_STORAGE',
      '--disable-warning=JWT_AUTH_MOUNT',
      '--disable-warning=JWT_AUTH_PROXY',
    ],
    include: ['{packages,internal,examples}/*/test/**/*.test.ts', 'scripts/test/**/*.test.ts'],
    // Vite resolves graphql to another copy than Node does. A schema works with one copy only.
    server: { deps: { inline: ['graphql-http'] } },
    // All files share four processes and the modules that are imported there, so a file must leave
    // both as it found them.
    isolate: false,
  },
})
