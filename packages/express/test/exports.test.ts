import * as core from '@jwt-auth/core'
import * as passwords from '@jwt-auth/passwords'
import { expect, it } from 'vitest'
import * as express from '../src/index.js'

// The built types re-export all names of both packages.
it('@jwt-auth/express exports every function and class of core and of passwords', () => {
  expect(Object.keys(express)).toEqual(expect.arrayContaining(Object.keys({ ...core, ...passwords })))
})
