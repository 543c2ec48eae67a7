import type { DeploymentKind } from './deployment.js'
import { postgresDeployments } from './deployments/postgresql.js'

/** All kinds of deployments. */
export const deploymentKinds: readonly DeploymentKind[] = [...postgresDeployments]
