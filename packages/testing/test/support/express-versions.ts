import { createRequire } from 'node:module'
import express from 'express'

// Express 4 has all that these tests use. `require` returns it without its types, which differ.
const express4: typeof express = createRequire(import.meta.url)('express4')

/** Both versions of Express. */
export const versions = [
  ['Express 5', express],
  ['Express 4', express4],
] as const

/** A version of Express. */
export type ExpressVersion = typeof express
