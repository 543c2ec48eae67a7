export { type DjangoHasherOptions, djangoHasher } from './passwords/legacy/django.js'
export { type FirebaseHasherOptions, firebaseHasher } from './passwords/legacy/firebase.js'
export { type PhpassHasherOptions, phpassHasher } from './passwords/legacy/phpass.js'
export { type ScryptHasherOptions, scryptHasher } from './passwords/legacy/scrypt.js'
