import path from 'node:path'

/**
 * Where the processes that tests start keep compiled code for each other: compiling takes half of their start.
 * https://nodejs.org/api/module.html#module-compile-cache
 */
export const compileCache = {
  NODE_COMPILE_CACHE: path.join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'compiled'),
}
