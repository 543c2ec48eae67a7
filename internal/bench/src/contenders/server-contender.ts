import type { RequestListener } from 'node:http'
import type { World } from '../world/world.js'

/** A server to measure over HTTP. */
export interface ServerContender {
  /** Its name in tables. */
  readonly title: string
  /** What it checks before it responds. The bench tests this before it measures. */
  readonly checks: 'nothing' | 'token' | 'token and session'
  readonly open: (world: World) => Promise<OpenedServer>
}

/** A contender that is ready to respond. */
interface OpenedServer {
  readonly listener: RequestListener
  /** The contender's own tokens, if it cannot read those of the {@link World}. */
  readonly own?: { readonly tokens: readonly string[]; readonly revokedToken: string }
}
