// Bundles the extension into dist/extension.js. The language client comes with every feature of the protocol; those the
// server does not have are left out, which nearly halves what is loaded when a window opens.
// Invariants: what is left out announces nothing and does nothing; a bundle that is too large is an error.
import { build } from 'esbuild';
import fs from 'node:fs';

const BUNDLE_BYTES = 400 * 1024;
const OUT = 'dist/extension.js';

const UNUSED = [
  'callHierarchy', 'codeLens', 'colorProvider', 'completion', 'declaration', 'definition', 'diagnostic', 'documentHighlight',
  'documentLink', 'documentSymbol', 'foldingRange', 'formatting', 'implementation', 'inlayHint', 'inlineCompletion',
  'inlineValue', 'linkedEditingRange', 'notebook', 'reference', 'rename', 'selectionRange', 'semanticTokens',
  'signatureHelp', 'textDocumentContent', 'typeDefinition', 'typeHierarchy', 'workspaceSymbol',
]; // prettier-ignore

const FEATURE = `class Unused {
  fillClientCapabilities() {}
  initialize() {}
  getState() { return { kind: 'static' }; }
  clear() {}
}
module.exports = new Proxy({}, { get: () => Unused });`;

/** The client compares the editor's version with what it needs; package.json's "engines" has seen to that. */
const VERSION = 'module.exports = () => true;';

const leaveOut = {
  name: 'leave-out',
  setup({ onLoad }) {
    const features = new RegExp(`vscode-languageclient[\\\\/]lib[\\\\/]common[\\\\/](${UNUSED.join('|')})\\.js$`);
    onLoad({ filter: features }, () => ({ contents: FEATURE, loader: 'js' }));
    onLoad({ filter: /[\\/]semver[\\/]functions[\\/](parse|satisfies)\.js$/ }, () => ({
      contents: VERSION,
      loader: 'js',
    }));
  },
};

await build({
  entryPoints: ['src/extension.ts'],
  outfile: OUT,
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  mainFields: ['module', 'main'],
  external: ['vscode'],
  legalComments: 'none',
  plugins: [leaveOut],
});

const { size } = fs.statSync(OUT);
if (size > BUNDLE_BYTES) {
  throw new Error(`the bundle has ${size} bytes, more than ${BUNDLE_BYTES}`);
}
