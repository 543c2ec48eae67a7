import { declareConformance } from './support/declare-conformance.js'
import { findCluster } from './support/redis-servers.js'

declareConformance(await findCluster())
