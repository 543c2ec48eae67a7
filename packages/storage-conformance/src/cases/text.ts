import assert from 'node:assert/strict'
import type { SessionRecord } from '@jwt-auth/core/adapter'
import { checksOf, requirementsOf } from '../conformance-case.js'
import { sampleRotation, sampleSession, sampleUser, start } from '../sample-session.js'
import { assertStored, createAll, listActive, toEnded } from '../stored-sessions.js'

/** Returns texts, to be written into every field that the application or the client chooses. */
const textIn = (text: string): Partial<SessionRecord> => ({
  userId: text,
  credentialVersion: text,
  userAgent: text,
  ipAddress: text,
  lastUserAgent: text,
  lastIpAddress: text,
  label: text,
  attributes: JSON.stringify({ text }),
})

const code = [
  `'; drop table sessions; --`,
  `"double", 'single', \`back\``,
  String.raw`C:\temp\new \' \" \u0041 \\`,
  '100%_?*[a-z]',
  `$1 \${name} {{name}} :name ?`,
  '{"json":[null,true]}',
]
const likeValues = ['null', 'undefined', 'true', '0', '-0', '007', 'NaN']
const scripts = ['Grüße, ünïcödé', '日本語 한국어 العربية עברית ไทย', '🙂 👩‍👩‍👧‍👦 🇨🇭', '𝒳𐍈𠮷']
const composed = ['caf\u00e9', 'cafe\u0301', '\u212b', '\u00c5']
const widths = ['name', 'Name', 'nàme', 'ｎａｍｅ', 'straße', 'strasse', 'ı', 'i']
const spaces = ['a', 'a ', ' a', 'a  ', 'a\u00a0', 'a\u200b', 'a\u00ad', '\ufeffa']

const keptTexts: Readonly<Record<string, readonly string[]>> = {
  'quotes, backslashes, wildcards, code, and text that looks like null, a boolean or a number': [
    ...code,
    ...likeValues,
  ],
  'letters of many scripts, emoji and characters beyond 16 bits': scripts,
  'texts distinct that differ in composition, case, accents, width, spaces or invisible characters': [
    ...composed,
    ...widths,
    ...spaces,
  ],
}

/** Returns a session with the longest text in every field. Ids and hashes are base64url. */
const longest = (letter: string): SessionRecord => {
  const repeat = (length: number): string => letter.repeat(length / letter.length)
  return sampleSession(1, {
    id: 'aZ-_0'.padEnd(22, 'Q'),
    selectorHash: 'aZ-_1'.padEnd(43, 'Q'),
    verifierHash: 'aZ-_2'.padEnd(43, 'Q'),
    recentVerifiers: Array.from({ length: 32 }, (_, number) => ({
      verifierHash: `aZ-_${number}`.padEnd(43, 'Q'),
      salt: `aZ-_${number}`.padEnd(43, 'Q'),
      replacedAt: start - number,
    })),
    userId: repeat(255),
    credentialVersion: repeat(255),
    dpopThumbprint: 'aZ-_3'.padEnd(43, 'Q'),
    userAgent: repeat(512),
    ipAddress: repeat(64),
    lastUserAgent: repeat(512),
    lastIpAddress: repeat(64),
    label: repeat(255),
    attributes: repeat(1_024),
  })
}

const longestTexts: Readonly<Record<string, string>> = {
  'its longest text': 'a',
  'its longest text in characters of three bytes': '語',
  'its longest text in characters of four bytes': '🙂',
  'its longest text in characters that must be escaped': '"',
}

const toTitle = (kept: string): string => `every text field keeps ${kept}`

/** Texts that a collation or a search by a pattern may take for `session-a`. */
const alike = ['session-A', 'session-á', 'session-a ', ' session-a', 'session-ａ', 'session-', 'session_a', 'session-%']

/** The requirements for text that a storage stores or looks up. */
export const textCases = requirementsOf('text', {
  ...checksOf(
    keptTexts,
    (texts) => async (storage) => {
      const sessions = texts.map((text, number) => sampleSession(number, textIn(text)))
      await createAll(storage, sessions)
      await assertStored(storage, sessions)
      for (const session of sessions) {
        assert.deepEqual(await listActive(storage, session), [session])
        const ending = { endedAt: start, endReason: String(session.label) }
        assert.deepEqual(await storage.end({ id: session.id, ...ending }), { outcome: 'ended' })
        assert.deepEqual(await storage.end({ id: session.id, ...ending }), { outcome: 'already-ended', ...ending })
      }
    },
    toTitle,
  ),
  ...checksOf(
    longestTexts,
    (letter) => async (storage) => {
      const session = longest(letter)
      const ending = { endedAt: start, endReason: letter.repeat(64 / letter.length) }
      await storage.create(session)
      assert.deepEqual(await listActive(storage, session), [session])
      await storage.endAllForUser({ ...sampleUser(session.userId), ...ending })
      assert.deepEqual(await storage.findBySelectorHash(session.selectorHash), toEnded(session, ending))
    },
    toTitle,
  ),
  'findByIds, rotate and end compare ids exactly, character by character': async (storage) => {
    const session = sampleSession(1, { id: 'session-a' })
    await storage.create(session)
    assert.deepEqual(await storage.findByIds(alike), [])
    for (const id of alike) {
      assert.deepEqual(await storage.end({ id, endedAt: start, endReason: 'revoked' }), { outcome: 'not-found' })
      assert.equal(await storage.rotate({ ...sampleRotation(session), id }), 'stale')
    }
    await storage.create(sampleSession(2, { id: 'session-A' }))
    assert.deepEqual(await storage.findByIds([session.id]), [session])
    await assertStored(storage, [session, sampleSession(2, { id: 'session-A' })])
  },
  'findBySelectorHash compares selector hashes exactly, character by character': async (storage) => {
    const session = sampleSession(1, { selectorHash: 'session-a' })
    await storage.create(session)
    for (const hash of alike) assert.equal(await storage.findBySelectorHash(hash), undefined)
    const upper = sampleSession(2, { selectorHash: 'session-A' })
    await storage.create(upper)
    assert.deepEqual(await storage.findBySelectorHash(session.selectorHash), session)
    assert.deepEqual(await storage.findBySelectorHash(upper.selectorHash), upper)
  },
  'rotate compares verifier hashes exactly, character by character': async (storage) => {
    const session = sampleSession(1, { verifierHash: 'session-a' })
    await storage.create(session)
    for (const expectedVerifierHash of alike) {
      assert.equal(await storage.rotate({ ...sampleRotation(session), expectedVerifierHash }), 'stale')
    }
    await assertStored(storage, [session])
  },
})
