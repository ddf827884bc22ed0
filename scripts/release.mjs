// npm run release -- <version> [--dry-run]: updates changelog and version in one commit with one tag. Pushes nothing.
// Plain JavaScript for Node 20, like everything that must run before the packages are installed.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { explainRefusal, git, Refusal, refuseMerges } from './history.mjs'
import { projectFolder } from './install.mjs'
import { ensureBuilt, pointerFile } from './web.mjs'

const files = ['CHANGELOG.md', 'package.json', 'package-lock.json']
const usage = 'npm run release -- <version> [--dry-run], for example: npm run release -- 0.2.0'

await explainRefusal(async () => {
  const { version, dryRun } = readArguments(process.argv.slice(2))
  const tag = `v${version}`
  checkRepository(tag)
  const manifest = JSON.parse(read('package.json'))
  const lock = JSON.parse(read('package-lock.json'))
  if (comparePrecedence(version, manifest.version) <= 0) {
    throw new Refusal(`${version} is not larger than ${manifest.version}, the current version. Choose a larger one.`)
  }
  const { changelog, section } = moveUnreleased(read('CHANGELOG.md'), version)
  if (dryRun) {
    console.log(`Nothing was changed. This would be commit "release: ${version}" and tag ${tag}, with this text:\n`)
    console.log(section)
    return
  }
  manifest.version = version
  lock.version = version
  lock.packages[''].version = version
  await publishLocally({ version, tag, section, texts: [changelog, toJson(manifest), toJson(lock)] })
  console.log(
    `The archive with the built pages, to attach to the release: ${path.relative(projectFolder, archiveOf(version))}`,
  )
  console.log(`Commit "release: ${version}" and tag ${tag} exist in this clone only. To publish both or neither:\n`)
  console.log(`  git push --atomic origin main ${tag}\n`)
  console.log(`To undo the release before that:\n\n  git tag --delete ${tag} && git reset --hard HEAD~1`)
})

function readArguments(args) {
  const [version, ...others] = args.filter((each) => each !== '--dry-run')
  if (version === undefined || others.length > 0) throw new Refusal(usage)
  if (parseVersion(version) === undefined) {
    throw new Refusal(`"${version}" is not a semantic version such as 0.2.0 or 1.0.0-rc.1.\n${usage}`)
  }
  // Without the `--`, npm takes the option for its own and passes it as a variable.
  return { version, dryRun: args.includes('--dry-run') || process.env.npm_config_dry_run === 'true' }
}

function checkRepository(tag) {
  const branch = git(['branch', '--show-current'])
  if (branch !== 'main') {
    throw new Refusal(`Releases are made on main, and this is ${branch || 'no branch'}. Run git switch main first.`)
  }
  const changes = git(['status', '--porcelain'])
  if (changes !== '') {
    throw new Refusal(`The working tree has changes:\n${changes}\nCommit them, or put them away with git stash -u.`)
  }
  if (git(['tag', '--list', tag]) !== '') {
    throw new Refusal(`The tag ${tag} exists. Choose the next version; a published version never changes.`)
  }
  refuseMerges(linearSince(), 'HEAD')
}

/** Finds the last release, or else the commit that added this script: older history has merges. */
function linearSince() {
  const [lastTag] = git(['tag', '--list', 'v[0-9]*', '--merged', 'HEAD', '--sort=-creatordate']).split('\n')
  if (lastTag) return lastTag
  return git(['log', '--diff-filter=A', '--format=%H', '--', 'scripts/release.mjs']).split('\n').at(-1)
}

/** Moves the text under `Unreleased` to the new version. Returns the changelog and the moved text. */
function moveUnreleased(text, version) {
  const [whole, body] = /^## Unreleased\n(.*?)(?=^## |$(?!\n))/ms.exec(text) ?? []
  if (whole === undefined) {
    throw new Refusal('CHANGELOG.md has no "## Unreleased" heading. Add it above the newest version.')
  }
  const section = body.trim()
  if (section === '') {
    throw new Refusal('"Unreleased" in CHANGELOG.md is empty. Write down what the release changes for its users.')
  }
  const heading = `## ${version} – ${new Date().toISOString().slice(0, 10)}`
  const [before, after] = text.split(whole)
  const changelog = `${before}## Unreleased\n\n${heading}\n\n${section}\n${after === '' ? '' : `\n${after}`}`
  return { changelog, section }
}

/** Writes, commits and tags. When a step fails, resets the clone, whose tree was clean before. */
async function publishLocally({ version, tag, section, texts }) {
  const before = git(['rev-parse', 'HEAD'])
  try {
    for (const [at, text] of texts.entries()) writeFileSync(path.join(projectFolder, files[at]), text)
    git(['commit', '--message', `release: ${version}`, '--', ...files])
    // Verbatim: git would otherwise drop the lines of the section that begin with a number sign.
    const message = `Svc ${version}\n\n${section}\n`
    git(['tag', '--annotate', '--cleanup=verbatim', '--file=-', tag], { input: message })
    await packArchive(version, tag)
  } catch (error) {
    if (git(['tag', '--list', tag]) !== '') git(['tag', '--delete', tag])
    git(['reset', '--hard', before])
    throw new Refusal(`${error.message}\nNothing was changed. Fix this, then run the same command again.`)
  }
}

/** Packs the files of the tag with the built pages, so that a deployment needs no build. */
async function packArchive(version, tag) {
  await ensureBuilt()
  const name = `svc-${version}`
  const shelf = path.dirname(pointerFile)
  mkdirSync(shelf, { recursive: true })
  const added = existsSync(pointerFile) ? [...addFiles(name, '.web', [pointerFile]), ...addPages(name)] : []
  git(['archive', '--format=tar.gz', `--output=${archiveOf(version)}`, ...added, `--prefix=${name}/`, tag])
}

function addPages(name) {
  const { folder } = JSON.parse(readFileSync(pointerFile, 'utf8'))
  const full = path.join(path.dirname(pointerFile), folder)
  return addFiles(
    name,
    `.web/${folder}`,
    readdirSync(full).map((file) => path.join(full, file)),
  )
}

function addFiles(name, folder, added) {
  return [`--prefix=${name}/${folder}/`, ...added.map((file) => `--add-file=${file}`)]
}

function archiveOf(version) {
  return path.join(path.dirname(pointerFile), `svc-${version}.tar.gz`)
}

/** Reads the fields that decide precedence. Build metadata (`+…`) decides nothing, so Svc does not use it. */
function parseVersion(text) {
  const number = '(0|[1-9]\\d*)'
  const label = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][\\da-zA-Z-]*)'
  const pattern = new RegExp(`^${number}\\.${number}\\.${number}(?:-(${label}(?:\\.${label})*))?$`)
  const match = pattern.exec(text)
  if (match === null) return undefined
  return { numbers: match.slice(1, 4).map(Number), labels: match[4]?.split('.') ?? [] }
}

/** Positive when `a` comes after `b`: Semantic Versioning 2.0.0, section 11. */
function comparePrecedence(a, b) {
  const [left, right] = [parseVersion(a), parseVersion(b)]
  for (const at of [0, 1, 2]) {
    if (left.numbers[at] !== right.numbers[at]) return left.numbers[at] - right.numbers[at]
  }
  // A version without labels comes after the same one with labels: 1.0.0 is after 1.0.0-rc.1.
  if (left.labels.length === 0 || right.labels.length === 0) return right.labels.length - left.labels.length
  for (const [at, label] of left.labels.entries()) {
    const other = right.labels[at]
    if (other === undefined) return 1
    if (label !== other) return compareLabels(label, other)
  }
  return left.labels.length - right.labels.length
}

/** Compares numbers by value and words by ASCII; a number precedes a word. */
function compareLabels(label, other) {
  const [isNumber, otherIsNumber] = [/^\d+$/.test(label), /^\d+$/.test(other)]
  if (isNumber && otherIsNumber) return Number(label) - Number(other)
  if (isNumber !== otherIsNumber) return isNumber ? -1 : 1
  return label < other ? -1 : 1
}

function read(name) {
  return readFileSync(path.join(projectFolder, name), 'utf8')
}

function toJson(value) {
  return `${JSON.stringify(value, null, 2)}\n`
}
