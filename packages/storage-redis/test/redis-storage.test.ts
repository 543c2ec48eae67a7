import { declareConformance } from './support/declare-conformance.js'
import { findSingleNode } from './support/redis-servers.js'

// redis-cluster.slow.test.ts has a cluster.
declareConformance(await findSingleNode())
