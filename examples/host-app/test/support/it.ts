import { it as vitestIt } from 'vitest'
import type { DatabaseKind } from './databases.js'
import {
  bundleHost,
  type HostProcess,
  type ListeningProcess,
  type ProcessVariables,
  sources,
  spawnHost,
  whenListening,
} from './host-process.js'
import { openSiteOn, type Site, testVariables, type Variables } from './site.js'

/** What a test can make and start; all of it goes with the test, whatever becomes of it. */
interface Fixtures {
  readonly createDatabase: (kind: DatabaseKind) => Promise<{ readonly url: string }>
  /** Starts a site on a database of its own, in this process. */
  readonly startSite: (kind: DatabaseKind, variables?: Variables) => Promise<Site>
  /** Starts a site on a database that is there, in this process. */
  readonly startSiteOn: (databaseUrl: string, variables?: Variables) => Promise<Site>
  /** The program's bundle, one for each test file. */
  readonly bundle: readonly string[]
  /** Starts the program, whatever becomes of it. */
  readonly spawnProcess: (variables?: ProcessVariables, program?: readonly string[]) => HostProcess
  /** Starts the program and waits until it listens. */
  readonly startProcess: (variables?: ProcessVariables) => Promise<ListeningProcess>
  /** The same from the sources, as a user starts it. */
  readonly startFromSources: (variables?: ProcessVariables) => Promise<ListeningProcess>
}

/** Tests that may run beside each other: each has databases, sites and processes of its own. */
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
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads there what a fixture needs.
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
