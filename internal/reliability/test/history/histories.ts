import { readHistories } from './support/written-history.js'

/** The rules, and their names in the findings below. */
export const rules: Readonly<Record<string, string>> = {
  'no session is used after its acknowledged end': 'ends',
  'refresh tokens form one chain': 'chain',
  'a replaced token is valid for its grace window only': 'grace',
  'each response is about the session of its requester': 'own',
  'every refusal has a cause': 'cause',
  'a changed password ends sessions at their next refresh': 'password',
  'no two sessions share a token': 'shared',
  'final reads show what is stored': 'final',
  'every response is in the contract': 'contract',
}

/** Histories of a correct service with a grace window of 30 ms. */
export const validHistories = readHistories(`
  the life of a session
    s1 login       0-5    granted r1 a1
    s1 visit a1    6-9    authenticated
    s1 refresh r1 10-15   granted r2 a2
    s1 validate a1 16-17  authenticated
    s1 revoke a2  20-25   revoked
    s1 revoke a1  26-29   already-revoked
    s1 visit! a2  30-31   refused
    s1 refresh! r2 32-33  refused

  two concurrent sessions
    s1 login        0-5   granted r1 a1
    s2 login        1-4   granted r2 a2
    s1 refresh r1  10-15  granted r3 a3
    s2 refresh r2  10-15  granted r4 a4
    s1 revoke a1   16-17  revoked
    s1 visit! a3   20-21  refused
    s1 refresh! r3 22-23  refused
    s2 visit! a4   20-21  authenticated
    s2 refresh! r4 22-23  granted r5 a5

  racing refreshes that all lead to one token
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-18  granted r2 a2
    s1 refresh r1  11-15  granted r2 a3
    s1 refresh r1  16-20  granted r2 a4
    s1 visit! a2   21-22  authenticated
    s1 refresh! r2 23-24  granted r3 a5

  a replaced token that leads over two rotations
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-12  granted r2 a2
    s1 refresh r2  13-15  granted r3 a3
    s1 refresh r1  16-18  granted r3 a4
    s1 visit! a4   21-22  authenticated
    s1 refresh! r3 23-24  granted r4 a5

  a slow refresh that returns the result of rotations that started after it
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-40  granted r3 a4
    s1 refresh r1  11-12  granted r2 a2
    s1 refresh r2  13-15  granted r3 a3
    s1 visit! a4   41-42  authenticated
    s1 refresh! r3 43-44  granted r4 a5

  a retry that finds what a refresh without a response has written
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-12  lost
    s1 refresh r1  13-15  granted r2 a2
    s1 visit! a2   21-22  authenticated
    s1 refresh! r2 23-24  granted r3 a3

  a token whose successor only the retry of an older token returned
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-20  granted r2 a2
    s1 refresh r2  21-22  failed
    s1 refresh r1  23-24  granted r3 a3
    s1 visit! a3   25-26  authenticated
    s1 refresh! r3 27-28  granted r4 a4
    s2 login        0-5   granted r11 a11
    s2 refresh r11 10-20  granted r12 a12
    s2 refresh r12 21-22  lost
    s2 refresh r11 23-24  granted r13 a13
    s2 visit! a13  25-26  authenticated
    s2 refresh! r13 27-28 granted r14 a14

  requests that started before a revocation was acknowledged
    s1 login        0-5   granted r1 a1
    s1 revoke a1   10-20  revoked
    s1 visit a1    15-30  authenticated
    s1 refresh r1  19-40  granted r2 a2
    s1 visit! a2   41-42  refused
    s1 refresh! r2 43-44  refused

  a revocation that was lost and took place
    s1 login        0-5   granted r1 a1
    s1 revoke a1   10-20  lost
    s1 visit! a1   21-22  refused
    s1 refresh! r1 23-24  refused

  a revocation that failed and did not take place
    s1 login        0-5   granted r1 a1
    s1 revoke a1   10-20  failed
    s1 visit! a1   21-22  authenticated
    s1 refresh! r1 23-24  granted r2 a2

  a replay that ends the session
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-12  granted r2 a2
    s1 refresh r1  50-52  refused
    s1 visit! a2   53-54  refused
    s1 refresh! r2 55-56  refused

  a replay that ends the session, and whose response was lost
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-12  granted r2 a2
    s1 refresh r1  50-52  lost
    s1 visit! a2   53-54  refused
    s1 refresh! r2 55-56  refused

  a replaced token at the very end of its grace window
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-12  granted r2 a2
    s1 refresh r1  43-60  granted r2 a3
    s1 visit! a3   61-62  authenticated
    s1 refresh! r2 63-64  granted r3 a4

  a token that may have been the eighth when it was presented
    s1 login        0-1   granted r1 a1
    s1 refresh r1   1-2   granted r2 a2
    s1 refresh r2   2-3   granted r3 a3
    s1 refresh r3   3-4   granted r4 a4
    s1 refresh r4   4-5   granted r5 a5
    s1 refresh r5   5-6   granted r6 a6
    s1 refresh r6   6-7   granted r7 a7
    s1 refresh r7   7-8   granted r8 a8
    s1 refresh r8   8-9   granted r9 a9
    s1 refresh r9   9-11  granted r10 a10
    s1 refresh r1  10-12  granted r9 a11
    s1 visit! a10  13-14  authenticated
    s1 refresh! r10 15-16 granted r11 a12

  an end of all sessions that is too early for one of them
    s1 login        0-5   granted r1 a1
    s1b login       8-20  granted r2 a2
    u1 revoke-all   9-12  done
    s1 visit a1    13-14  refused
    s1 visit! a1   21-22  refused
    s1 refresh! r1 23-24  refused
    s1b visit! a2  21-22  authenticated
    s1b refresh! r2 23-24 granted r3 a3

  a changed password that ends a session at its next refresh and overtakes a login
    s1 login        0-5   granted r1 a1
    s1b login       8-20  refused
    u1 change-password 9-10 done
    s1 visit a1    21-22  authenticated
    s1 refresh r1  23-24  refused
    s1 visit! a1   31-32  refused
    s1 refresh! r1 33-34  refused

  a session that was created during a change of the password and read the user afterwards
    s1 create       0-15  granted r1 a1
    u1 change-password 9-10 done
    s1 visit! a1   31-32  authenticated
    s1 refresh! r1 33-34  granted r2 a2

  a login that was lost
    s1 login        0-5   lost
`)

/** Histories with a violation planted in each, judged with a grace window of 30 ms: a rule, and the operations that break it. */
export const invalidHistories = readHistories(`
  validate accepts a token after another client was told that it is revoked
    s1 login        0-5   granted r1 a1
    s1 revoke a1   10-50  lost
    s1 revoke a1   15-20  already-revoked
    s1 validate a1 21-30  authenticated
    s1 visit! a1   51-52  refused
    s1 refresh! r1 53-54  refused
    found: ends 3 4

  a replay leaves the successor usable
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-12  granted r2 a2
    s1 refresh r1  50-52  refused
    s1 visit! a2   53-54  authenticated
    s1 refresh! r2 55-56  granted r3 a3
    found: ends 3 4; ends 3 5

  a revocation is undone by a restart
    s1 login        0-5   granted r1 a1
    s1 revoke a1   10-20  revoked
    s1 visit! a1   41-42  authenticated
    s1 refresh! r1 43-44  granted r2 a2
    found: ends 2 3; ends 2 4

  two revocations both report that they ended the session
    s1 login        0-5   granted r1 a1
    s1 revoke a1   10-20  revoked
    s1 revoke a1   11-19  revoked
    s1 visit! a1   41-42  refused
    s1 refresh! r1 43-44  refused
    found: ends 3 2

  a revocation reports that it ended the session after another reported that it had ended
    s1 login        0-5   granted r1 a1
    s1 revoke a1   10-20  lost
    s1 revoke a1   21-22  already-revoked
    s1 revoke a1   23-24  revoked
    s1 visit! a1   41-42  refused
    s1 refresh! r1 43-44  refused
    found: ends 3 4

  a revocation reports that it ended a session that a replay had ended
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-12  granted r2 a2
    s1 refresh r1  50-52  refused
    s1 revoke a2   53-54  revoked
    s1 visit! a2   55-56  refused
    s1 refresh! r2 57-58  refused
    found: ends 3 4

  a replaced token leads on after its grace window
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-12  granted r2 a2
    s1 refresh r1  44-46  granted r2 a3
    s1 visit! a3   47-48  authenticated
    s1 refresh! r2 49-50  granted r3 a4
    found: grace 2 3

  a token leads on although a later token shows that it was replaced long ago
    s1 login        0-5   granted r1 a1
    s1 refresh r1   6-7   granted r2 a2
    s1 refresh r1   8-60  granted r3 a4
    s1 refresh r2  10-12  granted r3 a3
    s1 refresh r2  44-46  granted r3 a5
    s1 visit! a5   61-62  authenticated
    s1 refresh! r3 63-64  granted r4 a6
    found: grace 4 5

  a burst of refreshes ends the session because of a token that was replaced within its window
    s1 login        0-1   granted r1 a1
    s1 refresh r1   1-2   granted r2 a2
    s1 refresh r2   2-3   granted r3 a3
    s1 refresh r3   3-4   granted r4 a4
    s1 refresh r4   4-5   granted r5 a5
    s1 refresh r5   5-6   granted r6 a6
    s1 refresh r6   6-7   granted r7 a7
    s1 refresh r7   7-8   granted r8 a8
    s1 refresh r8   8-9   granted r9 a9
    s1 refresh r9   9-10  granted r10 a10
    s1 refresh r1  11-12  refused
    s1 visit! a10  13-14  refused
    s1 refresh! r10 15-16 refused
    found: cause 11; cause 12; cause 13

  racing refreshes get two tokens
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-20  granted r2 a2
    s1 refresh r1  11-21  granted r3 a3
    s1 visit! a3   41-42  authenticated
    s1 refresh! r3 43-44  granted r4 a4
    found: chain 1 2 3 5

  a restart revives a replaced token
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-12  granted r2 a2
    s1 refresh r1  20-22  granted r3 a3
    s1 refresh r3  23-24  granted r4 a4
    s1 visit! a4   41-42  authenticated
    s1 refresh! r4 43-44  granted r5 a5
    found: chain 1 2 3 4 6

  a token is current again after its successor was
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-12  granted r2 a2
    s1 refresh r2  13-14  granted r3 a3
    s1 refresh r1  15-16  granted r2 a4
    s1 visit! a4   41-42  authenticated
    s1 refresh! r3 43-44  granted r4 a5
    found: chain 2 3 4

  a refresh leads to the token that was presented
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-12  granted r1 a2
    s1 visit! a2   41-42  authenticated
    s1 refresh! r1 43-44  granted r2 a3
    found: chain 1 2

  three tokens lead round in a circle
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-30  granted r2 a2
    s1 refresh r2  11-29  granted r3 a3
    s1 refresh r3  12-28  granted r4 a4
    s1 refresh r4  13-27  granted r2 a5
    s1 visit! a5   41-42  authenticated
    s1 refresh! r4 43-44  granted r5 a6
    found: chain 1 2 3 4 5 7

  two sessions receive one refresh token
    s1 login        0-5   granted r1 a1
    s2 login        1-4   granted r2 a2
    s1 refresh r1  10-15  granted r3 a3
    s2 refresh r2  10-15  granted r3 a4
    s1 visit! a3   20-21  authenticated
    s1 refresh! r3 22-23  granted r4 a5
    s2 visit! a4   20-21  authenticated
    s2 refresh! r3 22-23  granted r5 a6
    found: shared 3 4

  two logins open one session
    s1 login        0-5   granted r1 a1
    s1 visit! a1   20-21  authenticated
    s1 refresh! r1 22-23  granted r3 a3
    s2 login        1-4   granted r2 a2 of s1
    found: shared 1 4; own 4; final 4

  two refreshes within one second receive one access token
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-20  granted r2 a2
    s1 refresh r1  11-21  granted r2 a2
    s1 visit! a2   41-42  authenticated
    s1 refresh! r2 43-44  granted r3 a4
    found: shared 2 3

  a pair of tokens reaches another user
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-20  granted r2 a2 of s2
    s1 visit! a1   41-42  authenticated
    s1 refresh! r2 43-44  granted r3 a4
    found: own 1 2

  the guard names another caller
    s1 login        0-5   granted r1 a1
    s1 visit a1    10-20  authenticated of s2
    s1 visit! a1   41-42  authenticated
    s1 refresh! r1 43-44  granted r2 a2
    found: own 1 2

  the guard authenticates a request without naming its caller
    s1 login        0-5   granted r1 a1
    s1 visit a1    10-20  authenticated of nobody
    s1 visit! a1   41-42  authenticated
    s1 refresh! r1 43-44  granted r2 a2
    found: own 1 2

  the loser of a race is refused
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-20  granted r2 a2
    s1 refresh r1  11-21  refused
    s1 visit! a2   41-42  refused
    s1 refresh! r2 43-44  refused
    found: cause 3; cause 4; cause 5

  an acknowledged rotation is lost, so that its token looks replayed
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-12  granted r2 a2
    s1 visit! a2   13-14  authenticated
    s1 refresh! r2 15-16  refused
    found: cause 4

  a revocation that nobody sent is reported
    s1 login        0-5   granted r1 a1
    s1 revoke a1   10-12  already-revoked
    s1 visit! a1   13-14  refused
    s1 refresh! r1 15-16  refused
    found: cause 2; cause 3; cause 4

  a lost revocation that did not take place is the only cause of a later refusal
    s1 login        0-5   granted r1 a1
    s1 revoke a1   10-12  lost
    s1 visit a1    13-14  authenticated
    s1 visit a1    15-16  refused
    s1 visit! a1   17-18  refused
    s1 refresh! r1 19-20  refused
    found: cause 4; cause 5; cause 6

  an old token that was granted within its grace window is the only cause of a later refusal
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-12  granted r2 a2
    s1 refresh r1  38-45  granted r2 a3
    s1 visit! a3   51-52  refused
    s1 refresh! r2 53-54  refused
    found: cause 4; cause 5

  a session outlives the end of all sessions of its user
    s1 create       0-5   granted r1 a1
    u1 revoke-all  10-20  done
    s1 visit! a1   21-22  authenticated
    s1 refresh! r1 23-24  refused
    found: ends 2 3

  the end of the sessions of another user ends a session
    s1 login        0-5   granted r1 a1
    u2 revoke-all  10-20  done
    s1 visit! a1   21-22  refused
    s1 refresh! r1 23-24  refused
    found: cause 3; cause 4

  a login with an old password opens a session that outlives the change
    s1 login        8-20  granted r1 a1
    u1 change-password 9-10 done
    s1 visit! a1   21-22  authenticated
    s1 refresh! r1 23-24  granted r2 a2
    found: password 2 4

  a login with the right password is refused
    u1 change-password 1-2 done
    s1 login        8-20  refused
    found: cause 2

  a refresh returns 500
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-12  500
    s1 visit! a1   13-14  authenticated
    s1 refresh! r1 15-16  granted r2 a2
    found: contract 2

  no final read receives a response
    s1 login        0-5   granted r1 a1
    s1 refresh r1  10-12  granted r2 a2
    s1 visit! a2   13-14  lost
    found: final 3

  a final read is too early
    s1 login        0-5   granted r1 a1
    s1 revoke a1   10-20  revoked
    s1 visit! a1   19-22  refused
    s1 refresh! r1 23-24  refused
    found: final 3 4
`)
