import { createTokenService } from '@jwt-auth/core'
import { type DefectName, plantDefect } from '../defects.js'
import type { Subject } from './model-instance.js'

/** Creates a subject from the service of this repository, with a defect at its ports when one is named. */
export const createSubject = (createStorage: Subject['createStorage'], defect?: DefectName): Subject => ({
  createTokenService: (options) => createTokenService({ ...options, ...plantDefect(defect, options) }),
  createStorage,
})
