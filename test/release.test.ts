import { chmod, cp, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { pointerFile } from '../scripts/web.mjs'
import { makeReleaseRepository, type ReleaseRepository } from './support/project/release-repository.ts'
import { makeFolder } from './support/runner/folder.ts'
import { repositoryFolder } from './support/style/source-tree.ts'

async function expectRefusal(repository: ReleaseRepository, args: string[], words: RegExp): Promise<void> {
  const before = await repository.state()
  const { code, output } = await repository.release(...args)
  expect(output).toMatch(words)
  expect(output).not.toMatch(/^\s+at /m)
  expect(code).toBe(1)
  expect(await repository.state()).toEqual(before)
}

const section = '# A heading of git’s comments\n\nTransactions:\n\n- `GET /transactions`.\n- Changed: a thing.'

test('a release moves the changelog, sets the version, and makes one commit and one tag', async () => {
  const repository = await makeReleaseRepository({ unreleased: section })
  const before = await repository.git('rev-parse', 'HEAD')
  const { code, output } = await repository.release('0.2.0')
  expect(output).toContain('git push --atomic origin main v0.2.0')
  expect(code).toBe(0)

  const today = new Date().toISOString().slice(0, 10)
  expect(await repository.read('CHANGELOG.md')).toBe(
    `# Changelog\n\n## Unreleased\n\n## 0.2.0 – ${today}\n\n${section}\n`,
  )
  expect(JSON.parse(await repository.read('package.json'))).toMatchObject({ version: '0.2.0' })
  expect(JSON.parse(await repository.read('package-lock.json'))).toMatchObject({
    version: '0.2.0',
    packages: { '': { version: '0.2.0' } },
  })
  expect(await repository.git('log', '--format=%s', `${before}..HEAD`)).toBe('release: 0.2.0')
  expect(await repository.git('status', '--porcelain')).toBe('')
  expect(await repository.git('cat-file', '-t', 'v0.2.0')).toBe('tag')
  expect(await repository.git('tag', '--list', '--format=%(contents)', 'v0.2.0')).toBe(`Svc 0.2.0\n\n${section}`)
  expect(await repository.git('rev-parse', 'v0.2.0^{commit}')).toBe(await repository.git('rev-parse', 'HEAD'))
})

test('the changelog lists the next release above the last one', async () => {
  const repository = await makeReleaseRepository({ unreleased: '- First.' })
  await repository.release('0.2.0')
  const changelog = await repository.read('CHANGELOG.md')
  await repository.write('CHANGELOG.md', changelog.replace('## Unreleased\n', '## Unreleased\n\n- Second.\n'))
  await repository.commit('changelog: add a line')
  expect(await repository.release('0.3.0-rc.1')).toMatchObject({ code: 0 })
  expect(await repository.read('CHANGELOG.md')).toMatch(
    /^# Changelog\n\n## Unreleased\n\n## 0\.3\.0-rc\.1 – \S+\n\n- Second\.\n\n## 0\.2\.0 – \S+\n\n- First\.\n$/,
  )
})

test.each([
  ['after the double dash', ['--', '0.2.0', '--dry-run']],
  ['before the version', ['--', '--dry-run', '0.2.0']],
  ['where npm takes it for its own', ['0.2.0', '--dry-run']],
])('--dry-run %s shows the text and changes nothing', async (_name, args) => {
  const repository = await makeReleaseRepository({ unreleased: section })
  const before = await repository.state()
  const { code, output } = await repository.run('npm', ['run', '--silent', 'release', ...args])
  expect(output).toContain(section)
  expect(code).toBe(0)
  expect(await repository.state()).toEqual(before)
})

test('a version that is missing, malformed or not larger is rejected', async () => {
  const repository = await makeReleaseRepository()
  await expectRefusal(repository, [], /npm run release -- <version>/)
  await expectRefusal(repository, ['0.2.0', '0.3.0'], /npm run release -- <version>/)
  for (const version of ['v0.2.0', '0.2', '0.02.0', '0.2.0-', '0.2.0-01', '0.2.0+build', 'minor']) {
    await expectRefusal(repository, [version], /not a semantic version such as 0\.2\.0/)
  }
  for (const version of ['0.1.0', '0.0.9', '0.1.0-rc.1']) {
    await expectRefusal(repository, [version], /not larger than 0\.1\.0.*Choose a larger one/)
  }
})

test('labels are compared as Semantic Versioning 2.0.0 orders them', async () => {
  const repository = await makeReleaseRepository()
  const ascending = ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta.2', '1.0.0-beta.11', '1.0.0']
  for (const [at, version] of ascending.entries()) {
    await repository.write(
      'package.json',
      (await repository.read('package.json')).replace(/"version": ".*"/, `"version": "${version}"`),
    )
    await repository.commit(`svc: be ${version}`)
    const [smaller, larger] = [ascending[at - 1], ascending[at + 1]]
    if (smaller) await expectRefusal(repository, [smaller], /not larger/)
    if (larger) expect(await repository.release(larger, '--dry-run')).toMatchObject({ code: 0 })
  }
})

test('uncommitted changes are rejected, including untracked files', async () => {
  const repository = await makeReleaseRepository()
  await repository.write('notes.txt', 'mine')
  await expectRefusal(repository, ['0.2.0'], /notes\.txt\nCommit them, or put them away with git stash -u/)
  await repository.commit('notes: keep them')
  await repository.write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n- Not committed.\n')
  await expectRefusal(repository, ['0.2.0'], /CHANGELOG\.md\nCommit them/)
})

test('another branch or a detached head is rejected', async () => {
  const repository = await makeReleaseRepository()
  await repository.git('switch', '--create', 'aside')
  await expectRefusal(repository, ['0.2.0'], /made on main, and this is aside\. Run git switch main/)
  await repository.git('switch', '--detach', 'main')
  await expectRefusal(repository, ['0.2.0'], /this is no branch/)
})

test('an existing tag is rejected', async () => {
  const repository = await makeReleaseRepository()
  await repository.git('tag', 'v0.2.0')
  await expectRefusal(repository, ['0.2.0'], /The tag v0\.2\.0 exists\. Choose the next version/)
})

test.each([
  ['is empty', '', /"Unreleased" in CHANGELOG\.md is empty\. Write down/],
  ['holds only a version', '\n## 0.0.1 – 2026-01-01\n\n- Old.', /"Unreleased" in CHANGELOG\.md is empty/],
])('an Unreleased section that %s is rejected', async (_name, unreleased, words) => {
  await expectRefusal(await makeReleaseRepository({ unreleased }), ['0.2.0'], words)
})

test('a changelog without the heading is rejected', async () => {
  const repository = await makeReleaseRepository()
  await repository.write('CHANGELOG.md', '# Changelog\n\n- A line.\n')
  await repository.commit('changelog: lose the heading')
  await expectRefusal(repository, ['0.2.0'], /no "## Unreleased" heading\. Add it/)
})

test('a merge commit is rejected after the first commit of the script, and after the last tag', async () => {
  const repository = await makeReleaseRepository()
  await repository.merge('first')
  await expectRefusal(repository, ['0.2.0'], /merge commits:\n {2}\w+ Merge branch 'first'\nRemove them/)
  await repository.git('tag', '--annotate', '--message', 'Svc 0.1.0', 'v0.1.0')
  expect(await repository.release('0.2.0', '--dry-run')).toMatchObject({ code: 0 })
  await repository.merge('second')
  await expectRefusal(
    repository,
    ['0.2.0'],
    /commits:\n {2}\w+ Merge branch 'second'\nRemove them with git rebase v0\.1\.0/,
  )
})

test('merge commits older than the script are allowed', async () => {
  const repository = await makeReleaseRepository()
  const scripts = path.join(repository.folder, 'scripts')
  await repository.git('rm', '-r', '--quiet', 'scripts')
  await repository.git('commit', '--amend', '--no-edit')
  await repository.merge('old')
  await cp(path.join(repositoryFolder, 'scripts'), scripts, { recursive: true })
  await repository.commit('release: add the script')
  expect(await repository.release('0.2.0')).toMatchObject({ code: 0 })
})

test('a commit that a hook rejects leaves the clone as it was', async () => {
  const repository = await makeReleaseRepository()
  const hook = path.join(repository.folder, '.git', 'hooks', 'pre-commit')
  await writeFile(hook, '#!/bin/sh\necho the hook says no >&2\nexit 1\n')
  await chmod(hook, 0o755)
  await expectRefusal(repository, ['0.2.0'], /the hook says no\nNothing was changed\. Fix this/)
})

test('the release commit is undone when git cannot create the tag', async () => {
  const repository = await makeReleaseRepository()
  // A reference is a path: git cannot make v0.2.0 where v0.2.0/old exists.
  await repository.git('tag', 'v0.2.0/old')
  await expectRefusal(repository, ['0.2.0'], /git tag failed: [\s\S]*Nothing was changed\. Fix this/)
})

test('the check of a pull request names merge commits, and needs the whole history', async () => {
  const repository = await makeReleaseRepository()
  const base = await repository.git('rev-parse', 'HEAD')
  await repository.commit('work: go on')
  expect(await repository.checkHistory(base, 'HEAD')).toEqual({ code: 0, output: '' })
  await repository.merge('aside')
  const merged = await repository.checkHistory(base, 'HEAD')
  expect(merged).toMatchObject({ code: 1, output: expect.stringContaining(`Merge branch 'aside'`) })
  expect(await repository.checkHistory(base)).toMatchObject({ code: 1 })
  expect(await repository.checkHistory('unknown', 'HEAD')).toMatchObject({ code: 1 })

  await writeFile(path.join(repository.folder, '.git', 'shallow'), `${base}\n`)
  const shallow = await repository.checkHistory(base, 'HEAD')
  expect(shallow).toMatchObject({ code: 1, output: expect.stringContaining('git fetch --unshallow') })
})

test('the archive of a release carries the built pages, so that a deployment builds nothing', async () => {
  const repository = await makeReleaseRepository()
  // The pages that this run has built are those of the same sources.
  const built = JSON.parse(await readFile(pointerFile, 'utf8'))
  for (const name of ['web', 'package-lock.json', '.web/forms.json', `.web/${built.folder}`])
    await cp(path.join(repositoryFolder, name), path.join(repository.folder, name), { recursive: true })
  await repository.commit('web: add the pages')
  const { code, output } = await repository.release('0.2.0')
  expect(output).toContain('.web/svc-0.2.0.tar.gz')
  expect(code).toBe(0)
  const { folder, remove } = await makeFolder('svc unpacked ')
  onTestFinished(remove)
  await repository.run('tar', ['-xzf', '.web/svc-0.2.0.tar.gz', '-C', folder])
  const unpacked = path.join(folder, 'svc-0.2.0')
  // There are no packages here, so that a build would fail.
  const check = `import('${unpacked}/scripts/web.mjs').then(({ ensureBuilt }) => ensureBuilt())`
  expect(await repository.run(process.execPath, ['--eval', check])).toEqual({ code: 0, output: '' })
  const pointer = JSON.parse(await readFile(path.join(unpacked, '.web', 'forms.json'), 'utf8'))
  const names = await readdir(path.join(unpacked, '.web', pointer.folder))
  expect(names).toEqual(expect.arrayContaining([pointer.entries['app.js'], pointer.entries['app.css']]))
  expect(names.some((name) => name.startsWith('libheif'))).toBe(true)
})
