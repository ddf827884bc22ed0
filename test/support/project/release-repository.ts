import { execFile } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished } from 'vitest'
import { makeFolder } from '../runner/folder.ts'
import { repositoryFolder } from '../style/source-tree.ts'

type Outcome = { code: number; output: string }

/** A small repository with the real scripts, on main, whose changelog has something to release. */
export async function makeReleaseRepository({ unreleased = '- A line.' } = {}) {
  const { folder, remove } = await makeFolder('svc release ')
  onTestFinished(remove)
  const { PATH = '', HOME = '' } = process.env
  const author = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.com' }
  const committer = { GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.com' }
  const env = { PATH, HOME, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', ...author, ...committer }
  const run = async (command: string, args: string[]): Promise<Outcome> => {
    try {
      const { stdout, stderr } = await promisify(execFile)(command, args, { cwd: folder, env })
      return { code: 0, output: stdout + stderr }
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
      return { code, output: stdout + stderr }
    }
  }
  const git = async (...args: string[]): Promise<string> => {
    const { code, output } = await run('git', args)
    return code === 0 ? output.trimEnd() : expect.fail(output)
  }
  const write = (name: string, text: string) => writeFile(path.join(folder, name), text)
  const read = (name: string) => readFile(path.join(folder, name), 'utf8')
  const commit = async (subject: string) => {
    await git('add', '--all')
    await git('commit', '--allow-empty', '--message', subject)
  }

  const { scripts } = JSON.parse(await readFile(path.join(repositoryFolder, 'package.json'), 'utf8'))
  const manifest = { name: 'svc', version: '0.1.0', type: 'module', scripts: { release: scripts.release } }
  const lock = {
    name: 'svc',
    version: '0.1.0',
    lockfileVersion: 3,
    packages: { '': { name: 'svc', version: '0.1.0' } },
  }
  await git('init', '--initial-branch=main')
  await write('.gitignore', '.web/\n')
  await write('CHANGELOG.md', `# Changelog\n\n## Unreleased\n\n${unreleased}\n`)
  await write('package.json', `${JSON.stringify(manifest, null, 2)}\n`)
  await write('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
  await cp(path.join(repositoryFolder, 'scripts'), path.join(folder, 'scripts'), { recursive: true })
  await commit('svc: begin')

  return {
    folder,
    run,
    git,
    write,
    read,
    commit,
    /** A branch with one commit, merged with a merge commit. */
    merge: async (branch: string) => {
      await git('switch', '--create', branch)
      await commit(`${branch}: work aside`)
      await git('switch', 'main')
      await git('merge', '--no-ff', '--no-edit', branch)
    },
    release: (...args: string[]) => run('npm', ['run', '--silent', 'release', '--', ...args]),
    checkHistory: (...args: string[]) => run(process.execPath, ['scripts/check-history.mjs', ...args]),
    /** Everything that a release changes. */
    state: async () => ({
      refs: await git('for-each-ref'),
      status: await git('status', '--porcelain', '--branch'),
      texts: await Promise.all(['CHANGELOG.md', 'package.json', 'package-lock.json'].map(read)),
    }),
  }
}

export type ReleaseRepository = Awaited<ReturnType<typeof makeReleaseRepository>>
