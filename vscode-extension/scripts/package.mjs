// Packs dist/roundzero-VERSION[-TARGET].vsix. Without a target the universal one, which carries no server; with one, the
// wheels for that platform lie in it, each checked against requirements/run.txt.
// Usage: package.mjs PYTHON ROUNDZERO-WHEEL [TARGET ...]
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const PYTHONS = ['3.11', '3.12', '3.13', '3.14'];
/** What pip calls each platform of VS Code's, best first. */
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
const BUNDLE_BYTES = 400 * 1024;

const extension = path.dirname(import.meta.dirname);
const root = path.dirname(extension);
const [python, own, ...targets] = process.argv.slice(2);

/** Names and hashes of what the lock file allows. */
function locked() {
  const text = fs.readFileSync(path.join(root, 'requirements/run.txt'), 'utf8');
  const pins = [...text.matchAll(/^([a-z0-9-]+==[^\s\\;]+)/gm)].map(([, pin]) => pin);
  return { pins, hashes: new Set([...text.matchAll(/sha256:([0-9a-f]{64})/g)].map(([, hash]) => hash)) };
}

/** Download the wheels of every Python for a platform; those that fit several come once. */
function carry(target, folder) {
  const { pins, hashes } = locked();
  const platforms = PLATFORMS[target];
  if (platforms === undefined) {
    throw new Error(`no such target: ${target}; there are ${Object.keys(PLATFORMS).join(', ')}`);
  }
  fs.mkdirSync(folder, { recursive: true });
  for (const version of PYTHONS) {
    const fit = [
      '--only-binary',
      ':all:',
      '--implementation',
      'cp',
      '--python-version',
      version,
      ...platforms.flatMap((each) => ['--platform', each]),
    ];
    execFileSync(
      python,
      [
        '-m',
        'pip',
        'download',
        '--quiet',
        '--disable-pip-version-check',
        '--no-deps',
        '--dest',
        folder,
        ...fit,
        ...pins,
      ],
      { stdio: 'inherit' },
    );
  }
  for (const name of fs.readdirSync(folder)) {
    const hash = createHash('sha256')
      .update(fs.readFileSync(path.join(folder, name)))
      .digest('hex');
    if (!hashes.has(hash)) {
      throw new Error(`${name} is not the one that requirements/run.txt names`);
    }
  }
  fs.copyFileSync(own, path.join(folder, path.basename(own)));
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

const { size } = fs.statSync(path.join(extension, 'dist/extension.js'));
if (size > BUNDLE_BYTES) {
  throw new Error(`the bundle has ${size} bytes, more than ${BUNDLE_BYTES}`);
}
for (const target of [undefined, ...targets]) {
  pack(target);
}
