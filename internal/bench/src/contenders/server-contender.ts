import type { RequestListener } from 'node:http'
import type { World } from '../world/world.js'

/** A server to be measured over HTTP. */
export interface ServerContender {
  /** As tables call it. */
  readonly title: string
  /** What it looks at before it answers. What it says here is tried before it is measured. */
  readonly checks: 'nothing' | 'token' | 'token and session'
  /** The contender that does the same without any check, by its file's name. @default 'express' */
  readonly bare?: 'express' | 'fastify' | 'node-http'
  readonly open: (world: World) => Promise<OpenedServer>
}

/** A contender that is ready to answer. */
interface OpenedServer {
  readonly listener: RequestListener
  /** Its own tokens, where it can't read those of the world. */
  readonly own?: { readonly tokens: readonly string[]; readonly revokedToken: string }
}
