import type { SessionStorage } from '@jwt-auth/core'

/** Stores text in the composed Unicode form. */
export const normalizesText = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  create: (session, options) => storage.create({ ...session, label: session.label?.normalize('NFC') ?? null }, options),
})
