import type { Prerequisite } from '@jwt-auth/test-support'
import type { Instance } from '../cluster/instance/start-instance.js'
import type { Recorder } from '../cluster/recorder.js'
import type { Traffic } from '../faults/traffic.js'

/** Servers of a test that together hold one store, of which one can fail. */
export interface Deployment {
  /** The store of each instance of the service, for the setting `storageUrl`. */
  readonly storageUrls: readonly string[]
  /** What happens before the failure, under load. @default nothing */
  readonly beforeFailure?: (load: Load) => Promise<unknown>
  /** The deadline of a storage call on an idle machine, in milliseconds. @default 1000 */
  readonly callTimeoutMs?: number
  /** Ends a server, and lets another one or a new process take its place. */
  readonly failOver: () => Promise<unknown>
  /** Ends all servers, and removes their files. */
  readonly close: () => Promise<void>
}

/** The service of a deployment, under load. */
export interface Load {
  readonly instances: readonly Instance[]
  readonly recorder: Recorder
  readonly traffic: Traffic
}

/** A kind of deployment. One with missing programs cannot be opened. */
export interface DeploymentKind extends Prerequisite {
  /**
   * Whether the failover loses acknowledged writes. Anything but `never` needs a warning in
   * docs/reliability.md.
   */
  readonly loss: 'never' | 'possible' | 'certain'
  readonly open: () => Promise<Deployment>
}
