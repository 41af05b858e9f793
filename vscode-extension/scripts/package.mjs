// Packs dist/roundzero-VERSION[-TARGET].vsix. Without a target the universal one, which carries no server; with one, the
// wheels for that platform lie in it, each checked against requirements/run.txt. "all" means every target there is.
// Usage: package.mjs PYTHON ROUNDZERO-WHEEL [TARGET ...]
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const PYTHONS = ['3.11', '3.12', '3.13', '3.14'];
/**
 * What pip calls each platform of VS Code's, best first. Not here: Alpine, because neither ast-grep nor RE2 has a wheel for
 * musl, and Windows on ARM, where YAML has none for Python 3.11.
 */
const PLATFORMS = {
  'linux-x64': ['manylinux_2_28_x86_64', 'manylinux_2_17_x86_64', 'manylinux2014_x86_64'],
  'linux-arm64': ['manylinux_2_28_aarch64', 'manylinux_2_17_aarch64', 'manylinux2014_aarch64'],
  'darwin-x64': [
    'macosx_13_0_x86_64',
    'macosx_11_0_x86_64',
    'macosx_10_15_x86_64',
    'macosx_10_12_x86_64',
    'macosx_10_9_x86_64',
  ],
  'darwin-arm64': ['macosx_14_0_arm64', 'macosx_13_0_arm64', 'macosx_11_0_arm64'],
  'win32-x64': ['win_amd64'],
};

const extension = path.dirname(import.meta.dirname);
const root = path.dirname(extension);
const [python, own, ...asked] = process.argv.slice(2);
const targets = asked.includes('all') ? Object.keys(PLATFORMS) : asked;
const unknown = targets.filter((each) => !(each in PLATFORMS));
if (unknown.length > 0) {
  throw new Error(`no such target: ${unknown.join(', ')}; there are ${Object.keys(PLATFORMS).join(', ')}, all`);
}

/** Names and hashes of what the lock file allows. */
function locked() {
  const text = fs.readFileSync(path.join(root, 'requirements/run.txt'), 'utf8');
  const pins = [...text.matchAll(/^([a-z0-9-]+==[^\s\\;]+)/gm)].map(([, pin]) => pin);
  return { pins, hashes: new Set([...text.matchAll(/sha256:([0-9a-f]{64})/g)].map(([, hash]) => hash)) };
}

function pip(command, version, platforms, ...rest) {
  const fit = ['--only-binary', ':all:', '--implementation', 'cp', '--python-version', version];
  const places = platforms.flatMap((each) => ['--platform', each]);
  // Twice: errors alone, and not what pip thinks of the machine's indexes.
  const quiet = ['--quiet', '--quiet', '--disable-pip-version-check', '--no-input'];
  execFileSync(python, ['-m', 'pip', command, ...quiet, ...fit, ...places, ...rest], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Names of the packages, as the lock file writes them, whose wheel in `folder` is for one Python only. */
function forOnePython(folder) {
  const names = fs.readdirSync(folder).map((name) => name.split('-'));
  const bound = names.filter((parts) => parts.at(-3).startsWith('cp') && !parts.at(-2).includes('abi3'));
  return new Set(bound.map(([name]) => name.toLowerCase().replaceAll('_', '-')));
}

/**
 * Put the wheels of every Python for a platform into `folder`; those that fit several come once. Fails when one is not
 * the locked one, or when what lies there is not all that the server needs.
 */
function carry(target, folder) {
  const { pins, hashes } = locked();
  const platforms = PLATFORMS[target];
  const [first, ...others] = PYTHONS;
  fs.mkdirSync(folder, { recursive: true });
  pip('download', first, platforms, '--no-deps', '--dest', folder, ...pins);
  const bound = forOnePython(folder);
  const again = pins.filter((pin) => bound.has(pin.split('==')[0]));
  for (const version of others) {
    pip('download', version, platforms, '--no-deps', '--dest', folder, ...again);
  }
  for (const name of fs.readdirSync(folder)) {
    const hash = createHash('sha256')
      .update(fs.readFileSync(path.join(folder, name)))
      .digest('hex');
    if (!hashes.has(hash)) {
      throw new Error(`${name} is not the one that requirements/run.txt names`);
    }
  }
  const server = path.join(folder, path.basename(own));
  fs.copyFileSync(own, server);
  // What people's machines will do, without installing: everything is there, for each Python, and nothing else is asked.
  for (const version of PYTHONS) {
    const nowhere = ['--dry-run', '--target', path.join(folder, 'nowhere'), '--ignore-installed'];
    pip('install', version, platforms, ...nowhere, '--no-index', '--find-links', folder, server);
  }
}

function pack(target) {
  const staged = fs.mkdtempSync(path.join(os.tmpdir(), 'rz-vsix-'));
  try {
    const manifest = JSON.parse(fs.readFileSync(path.join(extension, 'package.json'), 'utf8'));
    for (const name of ['scripts', 'devDependencies', 'private']) {
      delete manifest[name];
    }
    // Everything that is staged; without this the packer warns that it may be too much.
    manifest.files = ['**/*'];
    fs.writeFileSync(path.join(staged, 'package.json'), JSON.stringify(manifest));
    for (const name of ['package.nls.json', 'package.nls.zh-cn.json', 'README.md', 'l10n', 'media']) {
      fs.cpSync(path.join(extension, name), path.join(staged, name), { recursive: true });
    }
    for (const name of ['LICENSE', 'CHANGELOG.md']) {
      fs.copyFileSync(path.join(root, name), path.join(staged, name));
    }
    fs.mkdirSync(path.join(staged, 'dist'));
    fs.copyFileSync(path.join(extension, 'dist/extension.js'), path.join(staged, 'dist/extension.js'));
    if (target !== undefined) {
      carry(target, path.join(staged, 'wheels'));
    }
    const out = path.join(
      root,
      'dist',
      `roundzero-${manifest.version}${target === undefined ? '' : `-${target}`}.vsix`,
    );
    fs.mkdirSync(path.dirname(out), { recursive: true });
    const vsce = path.join(extension, 'node_modules/@vscode/vsce/vsce');
    const args = ['package', '--no-dependencies', '--allow-missing-repository', '--out', out];
    execFileSync(process.execPath, [vsce, ...args, ...(target === undefined ? [] : ['--target', target])], {
      cwd: staged,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    console.log(`${path.relative(root, out)}  ${(fs.statSync(out).size / 2 ** 20).toFixed(1)} MiB`);
  } finally {
    fs.rmSync(staged, { recursive: true, force: true });
  }
}

for (const target of [undefined, ...targets]) {
  pack(target);
}
