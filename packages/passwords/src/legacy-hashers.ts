export { type DjangoHasherOptions, djangoHasher } from './legacy/django.js'
export { type FirebaseHasherOptions, firebaseHasher } from './legacy/firebase.js'
export { type PhpassHasherOptions, phpassHasher } from './legacy/phpass.js'
export { type ScryptHasherOptions, scryptHasher } from './legacy/scrypt.js'
