import type { CorsOptions } from 'cors'
import type { Certificate } from './certificate.js'
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
  /** Returns the origin of a host. */
  readonly originOf: (host: string) => string
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
  /** @default HTTP without TLS */
  readonly certificate?: Certificate
  /** The host of the pages. @default '127.0.0.1' */
  readonly pageHost?: string
  /** The host of the service. @default `pageHost` */
  readonly serviceHost?: string
  /** Creates the options of CORS from the origin of the pages. @default no CORS */
  readonly toCors?: (pageOrigin: string) => CorsOptions
}

/** Starts a service and a network. The caller must close them. */
export const openStage = async (setup: StageSetup): Promise<Stage> => {
  const { context, script, certificate, toCors, store, transport, hasLocks = true } = setup
  const { pageHost = '127.0.0.1', serviceHost = pageHost } = setup
  const world = createWorld()
  const network = await startNetwork({
    world,
    script,
    prelude: hasLocks ? '' : 'delete Navigator.prototype.locks',
    certificate,
    isServiceHost: (host) => host === `${serviceHost}:${network.port}`,
  })
  const originOf = (host: string): string => `${certificate ? 'https' : 'http'}://${host}:${network.port}`
  const pageOrigin = originOf(pageHost)
  const service = await startService({
    now: world.now,
    cookies: transport === 'cookie' ? { origins: serviceHost === pageHost ? [] : [pageOrigin] } : undefined,
    cors: toCors?.(pageOrigin),
  })
  network.connect(service.port)
  const baseUrl = `${originOf(serviceHost)}/jwt-auth/v1`
  return {
    service,
    network,
    device: createDevice({ context, network, world, tabOptions: { store, transport, baseUrl }, pageUrl: pageOrigin }),
    originOf,
    countEvents: (type) => service.events.filter((event) => event.type === type).length,
    close: async () => {
      await context.close()
      await network.close()
      await service.close()
    },
  }
}
