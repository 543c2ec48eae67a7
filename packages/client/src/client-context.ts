import type { AuthRoutes } from './auth-routes.js'
import type { ClientSettings } from './environment.js'
import type { RunLocked } from './lock.js'
import type { SharedState } from './shared-state.js'

/** What the modules of one client share. */
export interface ClientContext extends ClientSettings {
  readonly shared: SharedState
  readonly routes: AuthRoutes
  readonly lock: RunLocked
}
