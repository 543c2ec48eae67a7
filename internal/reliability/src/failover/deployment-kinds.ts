import type { DeploymentKind } from './deployment.js'
import { pgbouncerDeployment } from './deployments/pgbouncer.js'
import { postgresDeployments } from './deployments/postgresql.js'

/** All kinds of deployments. */
export const deploymentKinds: readonly DeploymentKind[] = [...postgresDeployments, pgbouncerDeployment]
