import { existsSync } from 'node:fs'
import {
  explainMissing,
  findFreePort,
  findPrograms,
  galeraLibrary,
  galeraProgram,
  openAll,
} from '@jwt-auth/test-support'
import { openStorage } from '../../cluster/instance/open-storage.js'
import { refreshAtBarrier } from '../../cluster/scenarios/refreshes.js'
import type { DeploymentKind } from '../deployment.js'

const nodes = [0, 1, 2]
const refreshes = 24

const { missing, launch } = findPrograms('MariaDB Galera', [
  'mariadbd',
  'mariadb-install-db',
  'wsrep_sst_rsync',
  'rsync',
])

/**
 * Three nodes, each with its own instance. Instances of different nodes refresh one token
 * concurrently. Then a node is killed, and returns.
 */
export const galeraDeployment: DeploymentKind = {
  name: 'MariaDB Galera, three nodes',
  missing: missing ?? explainMissing(existsSync(galeraLibrary), `${galeraLibrary} is missing. Install galera-4.`),
  loss: 'never',
  open: () =>
    openAll(async (keep) => {
      const groupPorts = await Promise.all(nodes.map(findFreePort))
      const transferPorts = await Promise.all(nodes.map(findFreePort))
      const launchNode = async (position: number) => {
        const settings = { position, groupPorts, transferPorts }
        const node = await launch((installation) => galeraProgram(installation, settings))
        keep(node.remove)
        return node
      }
      const first = await launchNode(0)
      const { storage, close } = await openStorage(first.url, { poolSize: 1, connectTimeoutMs: 10_000 })
      keep(close)
      const second = await launchNode(1)
      const third = await launchNode(2)
      return {
        storageUrls: [first, second, third].map(({ url }) => url),
        // Longer than the two seconds after which the others exclude a node that does not respond.
        callTimeoutMs: 5_000,
        beforeFailure: async (load) => {
          const result = await refreshAtBarrier({ ...load, store: { storage } }, { userId: 1_000, count: refreshes })
          const tokens = new Set(result.refreshes.map(({ grant }) => grant?.refreshToken))
          if (tokens.size !== 1 || tokens.has(undefined))
            throw new Error(`${refreshes} concurrent refreshes of one token did not all lead to the same token.`)
        },
        failOver: async () => {
          await third.stop('crash')
          await third.start()
        },
      }
    }),
}
