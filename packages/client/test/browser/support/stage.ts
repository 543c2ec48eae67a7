import { createDevice, type Device } from './device.js'
import { type Network, startNetwork } from './network.js'
import type { TabOptions } from './page/tab.js'
import { type Service, startService } from './service.js'
import type { TabContext } from './tab-context.js'
import { createWorld } from './world.js'

/** A service, a browser, and the network between them. */
export interface Stage {
  readonly service: Service
  readonly network: Network
  readonly device: Device
  /** Returns the number of events of a type so far. */
  readonly countEvents: (type: string) => number
  readonly close: () => Promise<void>
}

export interface StageSetup extends Pick<TabOptions, 'store' | 'transport'> {
  readonly context: TabContext
  /** The script of the tabs. */
  readonly script: string
  /** @default true */
  readonly hasLocks?: boolean
}

/** Starts a service and a network. The caller must close them. */
export const openStage = async ({ context, script, hasLocks = true, ...options }: StageSetup): Promise<Stage> => {
  const world = createWorld()
  const service = await startService({ now: world.now })
  const prelude = hasLocks ? '' : 'delete Navigator.prototype.locks'
  const network = await startNetwork({ world, servicePort: service.port, script, prelude })
  const baseUrl = `${network.origin}/jwt-auth/v1`
  const device = createDevice({ context, network, world, tabOptions: { ...options, baseUrl }, pageUrl: network.origin })
  return {
    service,
    network,
    device,
    countEvents: (type) => service.events.filter((event) => event.type === type).length,
    close: async () => {
      await context.close()
      await network.close()
      await service.close()
    },
  }
}
