import { askRedis, findPrograms, openAll, redisProgram, sentinelProgram } from '@jwt-auth/test-support'
import { startFaultProxy } from '../../faults/proxy/fault-proxy.js'
import { until } from '../../faults/until.js'
import type { DeploymentKind } from '../deployment.js'

const { missing, launch } = findPrograms('Redis Sentinel', ['redis-server'])
const limitMs = 60_000

/** A Redis that is killed. Three Sentinels promote its replica. */
export const sentinelDeployment: DeploymentKind = {
  name: 'Redis Sentinel',
  missing,
  loss: 'possible',
  open: () =>
    openAll(async (keep) => {
      const primary = await launch(redisProgram)
      keep(primary.remove)
      const primaryUrl = new URL(primary.url)
      const replica = await launch((installation) => redisProgram(installation, primaryUrl))
      keep(replica.remove)
      const sentinels = [1, 2, 3].map(() => launch((installation) => sentinelProgram(installation, primaryUrl)))
      for (const sentinel of sentinels) keep(async () => (await sentinel).remove())
      const urls = (await Promise.all(sentinels)).map(({ url }) => url)
      const areReady = async (): Promise<boolean> => {
        const views = await Promise.all(urls.map(readView))
        return views.every((view) => view.includes('slaves=1,sentinels=3'))
      }
      await until('the Sentinels know the replica and each other', areReady, limitMs)
      const proxy = await startFaultProxy(primary.url)
      keep(proxy.close)
      const isPromoted = async (): Promise<boolean> => {
        const views = await Promise.all(urls.map(readView))
        return views.some((view) => view.includes(`address=${new URL(replica.url).host},`))
      }
      return {
        storageUrls: [proxy.url],
        failOver: async () => {
          await primary.stop('crash')
          await until('the Sentinels have promoted the replica', isPromoted, limitMs)
          proxy.moveTo(replica.url)
        },
      }
    }),
}

const readView = async (url: string): Promise<string> => String(await askRedis(url, 'INFO', 'sentinel'))
