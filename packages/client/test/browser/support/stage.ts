import { fileURLToPath } from 'node:url'
import type { CorsOptions } from 'cors'
import { build } from 'esbuild'
import { afterAll, beforeAll } from 'vitest'
import { createDevice, type Device } from './device.js'
import { createWorld, type Network, startNetwork } from './network.js'
import type { TabOptions } from './page/tab.js'
import { type Service, startService } from './service.js'
import type { StartableBrowser, TabBrowser, TabContext } from './tab-context.js'

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

export interface StageSetup extends Pick<TabOptions, 'transport' | 'bind'> {
  readonly context: TabContext
  /** The script of the tabs. */
  readonly script: string
  /** @default true */
  readonly hasLocks?: boolean
  /** Whether the servers speak TLS. @default false */
  readonly isSecure?: boolean
  /** The host of the pages. @default '127.0.0.1' */
  readonly pageHost?: string
  /** The host of the service. @default `pageHost` */
  readonly serviceHost?: string
  /** Creates the options of CORS from the origin of the pages. @default no CORS */
  readonly toCors?: (pageOrigin: string) => CorsOptions
}

/** Starts a service and a network. The caller must close them. */
export const openStage = async (setup: StageSetup): Promise<Stage> => {
  const { context, script, isSecure = false, toCors, transport, bind, hasLocks = true } = setup
  const { pageHost = '127.0.0.1', serviceHost = pageHost } = setup
  const world = createWorld()
  const network = await startNetwork({
    world,
    script,
    prelude: hasLocks ? '' : 'delete Navigator.prototype.locks',
    isSecure,
    isServiceHost: (host) => host === `${serviceHost}:${network.port}`,
  })
  const originOf = (host: string): string => `${isSecure ? 'https' : 'http'}://${host}:${network.port}`
  const pageOrigin = originOf(pageHost)
  const service = await startService({
    now: world.now,
    cookies: transport === 'cookie' ? { origins: serviceHost === pageHost ? [] : [pageOrigin] } : undefined,
    cors: toCors?.(pageOrigin),
    dpop: bind && { bind, publicUrls: [originOf(serviceHost)] },
  })
  network.connect(service.port)
  const baseUrl = `${originOf(serviceHost)}/jwt-auth/v1`
  return {
    service,
    network,
    device: createDevice({ context, network, world, tabOptions: { transport, bind, baseUrl }, pageUrl: pageOrigin }),
    originOf,
    countEvents: (type) => service.events.filter((event) => event.type === type).length,
    close: async () => {
      await context.close()
      await network.close()
      await service.close()
    },
  }
}

/** Bundles the script of a tab with the client. */
export const buildTab = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('page/tab.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
  })
  return outputFiles.map(({ text }) => text).join('')
}

/** Returns the options of CORS that docs/dpop.md describes, for pages without cookies. */
export const toDocumentedDpopCors = (pageOrigin: string): CorsOptions => ({
  origin: pageOrigin,
  allowedHeaders: ['Authorization', 'Content-Type', 'DPoP'],
  exposedHeaders: ['DPoP-Nonce', 'Retry-After', 'WWW-Authenticate'],
})

/** Returns the options of CORS that docs/browser-apps.md shows in the section "Subdomains". */
export const toDocumentedCors = (pageOrigin: string): CorsOptions => ({
  origin: pageOrigin,
  credentials: true,
  allowedHeaders: ['Authorization', 'Content-Type', 'X-JWT-Auth-Transport'],
  exposedHeaders: ['Retry-After', 'WWW-Authenticate'],
})

/**
 * Starts a browser before the tests of a suite, and closes it after them. Returns the function that
 * opens a new profile for a stage.
 */
export const useTabBrowser = (start: StartableBrowser['start'], hosts?: readonly string[]) => {
  let browser: TabBrowser
  let script: string
  beforeAll(async () => {
    browser = await start(hosts)
    script = await buildTab()
  })
  afterAll(() => browser.close())
  return async (): Promise<Pick<StageSetup, 'context' | 'script'>> => ({ context: await browser.openContext(), script })
}
