import type { AuthRoutes } from './auth-routes.js'
import type { Environment } from './environment.js'
import type { RunLocked } from './lock.js'
import type { SharedState } from './shared-state.js'
import type { TokenStore } from './token-stores.js'

/** The options of one client, and its platform. */
export interface ClientSettings extends Environment {
  /** Identifies the session. Clients of different transports have different sessions. */
  readonly name: string
  readonly usesCookie: boolean
  readonly store: TokenStore
}

/** What the modules of one client share. */
export interface ClientContext extends ClientSettings {
  readonly shared: SharedState
  readonly routes: AuthRoutes
  readonly runLocked: RunLocked
}
