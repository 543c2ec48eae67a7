import { it as vitestIt } from 'vitest'
import type { DatabaseKind } from './databases.js'
import {
  type HostProcess,
  type ListeningProcess,
  type ProcessVariables,
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
  /** Starts the program, whatever becomes of it. */
  readonly spawnProcess: (variables?: ProcessVariables) => HostProcess
  /** Starts the program and waits until it listens. */
  readonly startProcess: (variables?: ProcessVariables) => Promise<ListeningProcess>
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
      onTestFinished(site.stop)
      return site
    }),

  startSite: ({ createDatabase, startSiteOn }, use) =>
    use(async (kind, variables) => startSiteOn((await createDatabase(kind)).url, variables)),

  spawnProcess: ({ onTestFinished }, use) =>
    use((variables) => {
      const host = spawnHost({ ...testVariables, ...variables })
      onTestFinished(async () => {
        host.kill('SIGKILL')
        await host.ended
      })
      return host
    }),

  startProcess: ({ spawnProcess }, use) =>
    use((variables) => whenListening(spawnProcess(variables), variables?.['BASE_PATH'])),
})
