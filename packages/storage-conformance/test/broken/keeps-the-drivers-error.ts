import type { SessionStorage } from '@jwt-auth/core'

/** Keeps the driver's error as the cause. Drivers tell the values of a duplicate key in a property. */
export const keepsTheDriversError = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  create: async (session, options) => {
    try {
      await storage.create(session, options)
    } catch {
      const detail = `Key (user_id, selector_hash)=(${session.userId}, ${session.selectorHash}) already exists.`
      throw new Error('could not create a session', { cause: Object.assign(new Error('duplicate key'), { detail }) })
    }
  },
})
