#!/usr/bin/env node
// Committed, so that package managers can link the command before the first build.
import '../dist/cli.js'
