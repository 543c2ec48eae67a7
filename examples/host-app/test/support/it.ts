import { it as vitestIt } from 'vitest'
import {
  bundleHost,
  type HostProcess,
  type ListeningProcess,
  type ProcessVariables,
  sources,
  spawnHost,
  whenListening,
} from './host-process.js'
import { type DatabaseKind, openSiteOn, type Site, testVariables, type Variables } from './site.js'

/** Functions that create and start things. All of these are removed when the test ends, even if it fails. */
interface Fixtures {
  readonly createDatabase: (kind: DatabaseKind) => Promise<{ readonly url: string }>
  /** Starts a site on a new database, in this process. */
  readonly startSite: (kind: DatabaseKind, variables?: Variables) => Promise<Site>
  /** Starts a site on an existing database, in this process. */
  readonly startSiteOn: (databaseUrl: string, variables?: Variables) => Promise<Site>
  /** The program's bundle, one for each test file. */
  readonly bundle: readonly string[]
  /** Starts the program without waiting for its outcome. */
  readonly spawnProcess: (variables?: ProcessVariables, program?: readonly string[]) => HostProcess
  /** Starts the program and waits until it listens. */
  readonly startProcess: (variables?: ProcessVariables) => Promise<ListeningProcess>
  /** Starts the sources as a user does, and waits until the process listens. */
  readonly startFromSources: (variables?: ProcessVariables) => Promise<ListeningProcess>
}

/** Declares a test with its own databases, sites and processes, so that tests may run concurrently. */
export const it = vitestIt.extend<Fixtures>({
  createDatabase: ({ onTestFinished }, use) =>
    use(async (kind) => {
      const database = await kind.createDatabase()
      onTestFinished(database.drop)
      return database
    }),

  startSiteOn: ({ onTestFinished }, use) =>
    use(async (databaseUrl, variables) => {
      const site = await openSiteOn(databaseUrl, variables)
      onTestFinished(async () => {
        await site.stop()
      })
      return site
    }),

  startSite: ({ createDatabase, startSiteOn }, use) =>
    use(async (kind, variables) => startSiteOn((await createDatabase(kind)).url, variables)),

  bundle: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needs of a fixture from this parameter.
    async ({}, use) => use(await bundleHost()),
    { scope: 'file' },
  ],

  spawnProcess: ({ bundle, onTestFinished }, use) =>
    use((variables, program = bundle) => {
      const host = spawnHost(program, { ...testVariables, ...variables })
      onTestFinished(async () => {
        host.kill('SIGKILL')
        await host.ended
      })
      return host
    }),

  startProcess: ({ spawnProcess }, use) =>
    use((variables) => whenListening(spawnProcess(variables), variables?.['BASE_PATH'])),

  startFromSources: ({ spawnProcess }, use) =>
    use((variables) => whenListening(spawnProcess(variables, sources), variables?.['BASE_PATH'])),
})
