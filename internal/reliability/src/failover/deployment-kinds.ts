import type { DeploymentKind } from './deployment.js'
import { galeraDeployment } from './deployments/galera.js'
import { pgbouncerDeployment } from './deployments/pgbouncer.js'
import { postgresDeployments } from './deployments/postgresql.js'
import { clusterDeployments } from './deployments/redis-cluster.js'
import { sentinelDeployment } from './deployments/redis-sentinel.js'

/** All kinds of deployments. */
export const deploymentKinds: readonly DeploymentKind[] = [
  ...postgresDeployments,
  pgbouncerDeployment,
  galeraDeployment,
  ...clusterDeployments,
  sentinelDeployment,
]
