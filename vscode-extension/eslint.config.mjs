import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'wheels/', 'node_modules/', '*.mjs', 'scripts/'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // node:test returns promises that its runner awaits itself.
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', name: ['test', 'describe'], package: 'node:test' }] },
      ],
    },
  },
  {
    // What is pure stays pure: no editor, no files, no processes.
    files: ['src/pure/**'],
    rules: {
      'no-restricted-imports': ['error', { patterns: ['vscode*', 'node:*', '../*', '!../wire'] }],
    },
  },
);
