import type { SessionStorage } from '@jwt-auth/core'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { type CallGate, createCallGate, type MethodOf } from '@jwt-auth/test-support/call-gate'

export type StorageMethod = MethodOf<SessionStorage>

/** A storage that a test can make fail. */
export type GatedStorage = CallGate<SessionStorage>

/** What a storage that fails rejects with. Nothing of this error may reach a client. */
export const storageFailure = new Error('connect ECONNREFUSED db.internal:5432')

export const createGatedStorage = (storage: SessionStorage = memoryStorage({ quiet: true })): GatedStorage =>
  createCallGate(storage)
